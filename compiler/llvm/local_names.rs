//! Names of what is seen in one output alone, when that output may be assembled together with others: with a prefix of its own.
//!
//! ```text
//! ivl.dot            ivl.blur_0_3_dot           internal functions and data
//! .LCPI0_0           .Lblur_0_3_CPI0_0          labels
//! ```

use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{LLVMGetFirstGlobal, LLVMGetLinkage, LLVMGetNextGlobal, LLVMGetValueName2, LLVMSetValueName2};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;

use super::abi::internal_name;
use super::builder::functions;

/// Renames internal functions and data.
pub(super) fn rename(module: &Module<'_>, prefix: &str) {
    let module = module.as_mut_ptr();
    // SAFETY: a global of a module has a next one, or null comes.
    let next = |&global: &LLVMValueRef| Some(unsafe { LLVMGetNextGlobal(global) }).filter(|g| !g.is_null());
    // SAFETY: the module is alive; without a global, null comes.
    let globals = std::iter::successors(Some(unsafe { LLVMGetFirstGlobal(module) }).filter(|g| !g.is_null()), next);
    for value in globals.chain(functions(module)).collect::<Vec<_>>() {
        // SAFETY: functions and global data have a linkage.
        if unsafe { LLVMGetLinkage(value) } != LLVMLinkage::LLVMInternalLinkage {
            continue;
        }
        let mut length = 0;
        // SAFETY: a value's name is as long as is said, and lives until it is changed.
        let name = unsafe { std::slice::from_raw_parts(LLVMGetValueName2(value, &mut length).cast::<u8>(), length) };
        let name = String::from_utf8_lossy(name).into_owned();
        let name = internal_name(&format!("{prefix}{}", name.strip_prefix(&internal_name("")).unwrap_or(&name)));
        // SAFETY: the name is as long as is said, and LLVM copies it.
        unsafe { LLVMSetValueName2(value, name.as_ptr().cast(), name.len()) };
    }
}

/// Renames labels in assembly text.
pub(super) fn rename_labels(assembly: &str, prefix: &str) -> String {
    let mut text = String::with_capacity(assembly.len() + assembly.len() / 8);
    let (mut before, mut is_quoted) = ('\n', false);
    let mut rest = assembly.chars();
    while let Some(c) = rest.next() {
        text.push(c);
        match c {
            '\\' if is_quoted => text.extend(rest.next()),
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted && !is_part_of_a_name(before) && rest.as_str().starts_with('L') => {
                text.push('L');
                text.push_str(prefix);
                rest.next();
            }
            _ => {}
        }
        before = c;
    }
    text
}

fn is_part_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_renamed_and_nothing_else_is() {
        let assembly = ".LBB0_1:\n\tjmp\t.LBB0_1\n\t.ascii\t\"\\\".LBB0_1\"\n\tlea a.Lb(%rip), -.LCPI0(%rax)\n";
        let renamed = ".Lk_BB0_1:\n\tjmp\t.Lk_BB0_1\n\t.ascii\t\"\\\".LBB0_1\"\n\tlea a.Lb(%rip), -.Lk_CPI0(%rax)\n";
        assert_eq!(rename_labels(assembly, "k_"), renamed);
    }
}

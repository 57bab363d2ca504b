//! Where instantiation starts: exports, `main`, C declarations; and a look at the functions that nobody calls.

use super::declared::{Argument, Base, Declared, Qualifier};
use super::state::Checker;
use crate::diagnostics::{Diagnostic, Edit, codes};
use crate::source::Span;
use crate::syntax::ast;
use crate::typed::ir::{self, FunctionId, Linkage};
use crate::types::{Element, Type, TypeKind};
use rustc_hash::FxHashSet;

impl<'a> Checker<'a> {
    /// Instantiates all exports and `main`.
    pub fn roots(&mut self) {
        let mut roots = Vec::new();
        for item in 0..self.items.functions.len() {
            let function = self.items.functions[item].function;
            let is_main = &*function.name.text == "main";
            if function.export.is_none() && function.extern_c.is_none() && !is_main {
                continue;
            }
            let template: &'a [ast::TemplateParameter] = &self.items.functions[item].item.template;
            let has_defaults = template.iter().all(ast::TemplateParameter::has_default);
            if !has_defaults || is_main && !template.is_empty() {
                let message = "a template has no C signature";
                let error = Diagnostic::error(&codes::EXPORT_SIGNATURE, function.name.span, message);
                let help = format!("leave out `export`, and name an instance: `export {}<…> as name;`", function.name.text);
                self.diagnostics.push(if is_main { error } else { error.with_help(help) });
                continue;
            }
            let home = self.items.functions[item].home();
            let Some(arguments) = self.complete(template, home, &[], |_, _| {}) else { continue };
            let Some(id) = self.bound_instance(item, arguments, function.name.span) else { continue };
            if is_main {
                self.main(item, id);
            }
            roots.push(if function.export.is_some() { self.export(item, id) } else { id });
        }
        for export in std::mem::take(&mut self.items.exports) {
            // Those of pipelines are theirs to make.
            if self.items.pipelines.contains_key(&export.name.text) {
                self.place_once(&export.public);
                continue;
            }
            roots.extend(self.export_instance(export, &roots));
        }
        self.lower_schedules(&mut roots);
        let own = self.program.functions.len();
        self.program.lanes = self.lane_instances(&roots);
        self.settle(&roots, own);
    }

    /// The instance of a function with a C signature.
    fn bound_instance(&mut self, item: usize, arguments: Vec<Argument>, span: Span) -> Option<FunctionId> {
        let parameters = self.with_template(item, &arguments, |this| this.bound_signature(item))?;
        let (id, result) = self.instance(item, 1, parameters, arguments, span)?;
        if &*self.items.functions[item].function.name.text != "main" {
            self.bound_result(item, result);
        }
        Some(id)
    }

    /// `export blur<uint8> as blur_u8;`
    fn export_instance(&mut self, export: &'a ast::Export, roots: &[FunctionId]) -> Option<FunctionId> {
        let ast::Export { name, arguments, public } = export;
        let found = self.items.overloads.get(&name.text).cloned().unwrap_or_default();
        let found: Vec<usize> = found.into_iter().filter(|&i| !self.items.functions[i].item.template.is_empty()).collect();
        if found.is_empty() {
            let message = format!("there is no template `{}`", name.text);
            let error = Diagnostic::error(&codes::UNKNOWN_NAME, name.span, message);
            let is_plain = self.items.overloads.contains_key(&name.text);
            let help = format!("`{}` is no template: write `export` in front of it", name.text);
            self.diagnostics.push(if is_plain { error.with_help(help) } else { error });
            return None;
        }
        let templates: Vec<&'a [ast::TemplateParameter]> =
            found.iter().map(|&item| &*self.items.functions[item].item.template).collect();
        let given = self.given(&templates, arguments)?;
        let mut fits = Vec::new();
        let mark = self.diagnostics.len();
        for (&item, template) in found.iter().zip(templates) {
            let home = self.items.functions[item].home();
            fits.extend(self.complete(template, home, &given, |_, _| {}).map(|arguments| (item, arguments)));
        }
        let said = self.diagnostics.split_off(mark);
        let Some((item, arguments)) = fits.pop().filter(|_| fits.is_empty()) else {
            if found.len() == 1 && !said.is_empty() {
                said.into_iter().for_each(|error| self.diagnostics.push(error));
                return None;
            }
            let (code, message) = match fits.is_empty() {
                true => (&codes::TEMPLATE_ARGUMENTS, format!("these are not all arguments of `{}`", name.text)),
                false => (&codes::AMBIGUOUS_CALL, format!("several templates `{}` have these arguments", name.text)),
            };
            self.error(code, name.span, message);
            return None;
        };
        let id = self.bound_instance(item, arguments, name.span)?;
        if roots.contains(&id) {
            let message = format!("this instance of `{}` is exported already", name.text);
            self.error(&codes::DUPLICATE_NAME, public.span, message);
            return None;
        }
        let made = &self.program.functions[id.0 as usize];
        if made.locals[..made.parameters].iter().any(|l| self.program.types.view(l.ty).is_some()) {
            return Some(self.with_buffers(id, &public.text));
        }
        self.export_as(id, &public.text, public.span);
        Some(id)
    }

    /// The function that programs of other languages call. Views are buffers for them.
    fn export(&mut self, item: usize, id: FunctionId) -> FunctionId {
        let name = &self.items.functions[item].function.name;
        let made = &self.program.functions[id.0 as usize];
        if made.locals[..made.parameters].iter().any(|l| self.program.types.view(l.ty).is_some()) {
            return self.with_buffers(id, &name.text);
        }
        self.export_as(id, &name.text, name.span);
        id
    }

    /// Programs of other languages call a function by this name, of which there is one.
    pub fn export_as(&mut self, id: FunctionId, name: &str, span: Span) {
        let taken = self.program.functions.iter().find(|f| f.linkage != Linkage::Internal && f.symbol == *name && f.span != span);
        if let Some(other) = taken {
            let error = Diagnostic::error(&codes::DUPLICATE_NAME, span, format!("two functions are `{name}` for C"));
            let error = error.with_secondary(other.span, "the other one");
            self.diagnostics.push(error);
            return;
        }
        let made = &mut self.program.functions[id.0 as usize];
        made.linkage = Linkage::Export;
        made.symbol = name.to_owned();
    }

    fn main(&mut self, item: usize, id: FunctionId) {
        let function = self.items.functions[item].function;
        let made = &self.program.functions[id.0 as usize];
        let result = self.program.types.kind(made.result).clone();
        let fits = match result {
            TypeKind::Void | TypeKind::Error => true,
            TypeKind::Vector { element, length } => element == crate::types::Element::Int32 && length == 1,
            TypeKind::Pointer { .. } | TypeKind::Array { .. } | TypeKind::Record { .. } => false,
        };
        if !fits || !function.parameters.is_empty() {
            let error = Diagnostic::error(
                &codes::MAIN_SIGNATURE,
                function.name.span,
                "`main` takes nothing and returns `int` or nothing",
            );
            let mut edits = vec![Edit::replace(function.result.span, "int")];
            if let [first, .., last] | [first @ last] = &function.parameters[..] {
                edits.push(Edit::replace(first.span.to(last.span), ""));
            }
            self.diagnostics.push(error.with_fix("write `int main()`, or `void main()`", edits));
            return;
        }
        self.program.main = Some(id);
    }

    /// The parameter types of a function with a C signature: scalars, scalar pointers, scalar structs.
    fn bound_signature(&mut self, item: usize) -> Option<Vec<Type>> {
        let function = self.items.functions[item].function;
        let mut types = Vec::new();
        for parameter in &function.parameters {
            let declared = self.parameter_type(parameter);
            if let Base::Reference(inner) = &declared.base {
                // For C, a reference is a pointer.
                let pointee = self.vec(inner, 1, 1, parameter.ty.span);
                if self.is_error(pointee) {
                    return None;
                }
                types.push(self.program.types.pointer(pointee, 1));
                continue;
            }
            let ty = self.bound_type(&declared, parameter.ty.span);
            if self.is_error(ty) || !self.has_c_type(ty, parameter.ty.span) {
                return None;
            }
            types.push(ty);
        }
        Some(types)
    }

    fn bound_type(&mut self, declared: &Declared, span: Span) -> Type {
        let declared = match declared.qualifier {
            Qualifier::Unbound | Qualifier::Block => Declared { qualifier: Qualifier::Of(1), ..declared.clone() },
            Qualifier::Of(_) => declared.clone(),
        };
        self.vec(&declared, 1, 1, span)
    }

    fn bound_result(&mut self, item: usize, result: Type) {
        let span = self.items.functions[item].function.result.span;
        if !self.is_error(result) && !matches!(self.program.types.kind(result), TypeKind::Void) {
            self.has_c_type(result, span);
        }
    }

    /// Has it a C type? Reports what has none.
    fn has_c_type(&mut self, ty: Type, span: Span) -> bool {
        let (fits, what) = match self.program.types.kind(ty) {
            TypeKind::Error => return false,
            TypeKind::Vector { length, .. } => (*length == 1, "a vector"),
            TypeKind::Pointer { length, .. } => (*length == 1, "a vector of pointers"),
            TypeKind::Record { length, context, .. } => {
                (*length == 1 && *context == 1 && self.is_scalar_record(ty), "a block of records")
            }
            TypeKind::Void => (false, "`void`"),
            TypeKind::Array { .. } => (false, "an array"),
        };
        if !fits {
            let message = format!("{what}, `{}`, has no C type", self.display(ty));
            let error = Diagnostic::error(&codes::EXPORT_SIGNATURE, span, message);
            self.diagnostics
                .push(error.with_help("signatures for C have scalars, scalar pointers (to blocks, too) and scalar structs"));
            return false;
        }
        // It would travel in a register for floats, where Rust has no type for it.
        if self.program.types.size(ty) <= 16 && self.has_float16(ty) {
            let message = format!("`{}` would be passed by value", self.display(ty));
            let error = Diagnostic::error(&codes::EXPORT_SIGNATURE, span, message);
            self.diagnostics
                .push(error.with_help("pass a `float`, or a pointer: of `float16` not all compilers know the registers"));
            return false;
        }
        true
    }

    /// Is there a `float16` in a value of the type?
    fn has_float16(&self, ty: Type) -> bool {
        match *self.program.types.kind(ty) {
            TypeKind::Vector { element, .. } => element == Element::Float16,
            TypeKind::Array { element, .. } => self.has_float16(element),
            TypeKind::Record { .. } => self.program.types.members(ty).iter().any(|member| self.has_float16(member.ty)),
            TypeKind::Error | TypeKind::Void | TypeKind::Pointer { .. } => false,
        }
    }

    fn is_scalar_record(&self, ty: Type) -> bool {
        let (mut work, mut seen) = (vec![ty], FxHashSet::from_iter([ty]));
        while let Some(record) = work.pop() {
            for member in self.program.types.members(record) {
                let mut ty = member.ty;
                while let TypeKind::Array { element, .. } = *self.program.types.kind(ty) {
                    ty = element;
                }
                match *self.program.types.kind(ty) {
                    TypeKind::Vector { length: 1, .. } | TypeKind::Pointer { length: 1, .. } => {}
                    TypeKind::Record { .. } if seen.insert(ty) => work.push(ty),
                    TypeKind::Record { .. } => {}
                    TypeKind::Vector { .. } | TypeKind::Pointer { .. } => return false,
                    TypeKind::Array { .. } | TypeKind::Error | TypeKind::Void => return false,
                }
            }
        }
        true
    }

    /// Checks functions that nobody calls at sample lengths: as scalar code, else on vectors, else in a vector context.
    /// They are wrong if they are wrong at all of these; their instances are thrown away.
    pub fn uncalled(&mut self) {
        let called: rustc_hash::FxHashSet<usize> = self.instances.keys().map(|(item, ..)| *item).collect();
        for item in 0..self.items.functions.len() {
            let function = self.items.functions[item].function;
            if self.items.functions[item].is_library
                || called.contains(&item)
                || !self.items.functions[item].item.template.is_empty()
                || function.body.is_none()
            {
                continue;
            }
            let width = self.options.width.max(4);
            let mut first = None;
            for (context, length) in [(1, 1), (1, width), (width, width)] {
                let (said, sample) = self.trial(item, context, length);
                let failed = said.iter().any(|d| d.severity == crate::diagnostics::Severity::Error);
                if !failed {
                    first = Some((said, sample));
                    break;
                }
                first.get_or_insert((said, sample));
            }
            if let Some((said, sample)) = first {
                self.program.samples.extend(sample);
                said.into_iter().for_each(|d| self.diagnostics.push(d));
            }
        }
    }

    /// What an instance at sample lengths says, and the instance without its body.
    fn trial(&mut self, item: usize, context: u8, length: u8) -> (Vec<Diagnostic>, Option<ir::Function>) {
        let mark = self.diagnostics.len();
        let first = FunctionId(self.program.functions.len() as u32);
        let function = self.items.functions[item].function;
        let mut types = Vec::new();
        for parameter in &function.parameters {
            let declared = self.parameter_type(parameter);
            let ty = match &declared.base {
                Base::Reference(inner) => {
                    let object = self.vec(inner, length, context, parameter.ty.span);
                    self.program.types.pointer(object, 1)
                }
                // A pointer is more often one to many elements than many to one.
                Base::Pointer(inner) if declared.qualifier == Qualifier::Unbound => {
                    let object = self.vec(inner, 1, context, parameter.ty.span);
                    self.program.types.pointer(object, 1)
                }
                Base::Error | Base::Void | Base::Element(_) | Base::Record(_) | Base::Pointer(_) | Base::Array(..) => {
                    self.vec(&declared, length, context, parameter.ty.span)
                }
            };
            types.push(ty);
        }
        let made = match types.iter().any(|&ty| self.is_error(ty)) {
            true => None,
            false => self.instance(item, context, types, Vec::new(), function.name.span),
        };
        let mut said = self.diagnostics.split_off(mark);
        said.extend(made.into_iter().flat_map(|(id, _)| self.said_by(&[id])));
        let own = made.filter(|(id, _)| *id >= first);
        let sample = own.map(|(id, _)| &mut self.program.functions[id.0 as usize]).map(|made| {
            made.body = None;
            made.clone()
        });
        self.forget_since(first);
        (said, sample)
    }
}

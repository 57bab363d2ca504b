//! Exports called through the C ABI: random signatures, called by code that `cc` and `clang` compiled, and functions of C called with them.
//!
//! ```text
//! export S x7(int8 a, S b, float c[n], int n)      every value in it adds to a sum, of which the members of the result are parts
//! extern "C" S c7(…);  export S y7(…)              y7 calls c7, which C defines: it calls x7
//! ```
//! C calls both with constants and prints what comes back and what arrays and pointers hold then. The interpreter of the rules does the
//! same with x7 alone; what they print is equal. `IVL_ABI` says how many exports, `IVL_SEED` from where on; `./x fuzz --abi N` sets them.

use super::{Folder, has, run};
use ivl_random::Random;
use std::fmt::Write;

/// How many exports are compiled at once.
const BATCH: usize = 200;

/// The scalars: how IVL and C call them.
const SCALARS: [(&str, &str); 11] = [
    ("bool", "bool"),
    ("int8", "int8_t"),
    ("int16", "int16_t"),
    ("int", "int32_t"),
    ("int64", "int64_t"),
    ("uint8", "uint8_t"),
    ("uint16", "uint16_t"),
    ("uint", "uint32_t"),
    ("uint64", "uint64_t"),
    ("float", "float"),
    ("double", "double"),
];

#[derive(Clone)]
enum Type {
    /// By its place in `SCALARS`.
    Scalar(usize),
    /// By its number.
    Struct(usize),
    /// Of structs alone.
    Array(Box<Type>, usize),
}

/// What a parameter is.
#[derive(Clone)]
enum Parameter {
    Value(Type),
    /// So many elements, whose number is an `int` behind it unless it is said.
    Array {
        element: Type,
        count: usize,
        is_fixed: bool,
        is_const: bool,
    },
    /// The address of one.
    Pointer(Type),
}

struct Signature {
    parameters: Vec<Parameter>,
    result: Option<Type>,
}

struct Batch {
    random: Random,
    /// The members of structs.
    structs: Vec<Vec<Type>>,
    signatures: Vec<Signature>,
}

impl Batch {
    fn new(seed: u64, count: usize) -> Batch {
        let mut batch = Batch { random: Random::new(seed), structs: Vec::new(), signatures: Vec::new() };
        for _ in 0..30 {
            let members = (0..batch.random.between(1, 5)).map(|_| batch.member()).collect();
            batch.structs.push(members);
        }
        for _ in 0..count {
            let parameters = (0..batch.random.below(8)).map(|_| batch.parameter()).collect();
            let result = (!batch.random.one_in(8)).then(|| batch.value());
            batch.signatures.push(Signature { parameters, result });
        }
        batch
    }

    fn scalar(&mut self) -> Type {
        Type::Scalar(self.random.below(SCALARS.len()))
    }

    /// Floats come often: where they stand decides on the registers.
    fn member(&mut self) -> Type {
        let nested = self.structs.len();
        match self.random.below(12) {
            0..=3 => Type::Scalar(self.random.pick(&[9, 9, 10])),
            4..=7 => self.scalar(),
            8 if nested > 0 => Type::Struct(self.random.below(nested.min(20))),
            9 if nested > 0 => Type::Array(Box::new(Type::Struct(self.random.below(nested.min(10)))), 2),
            _ => Type::Array(Box::new(self.scalar()), self.random.between(1, 4) as usize),
        }
    }

    fn value(&mut self) -> Type {
        if self.random.one_in(2) { self.scalar() } else { Type::Struct(self.random.below(self.structs.len())) }
    }

    fn parameter(&mut self) -> Parameter {
        match self.random.below(8) {
            0 => {
                let (element, count) = (self.value(), self.random.between(1, 4) as usize);
                Parameter::Array { element, count, is_fixed: self.random.one_in(2), is_const: self.random.one_in(2) }
            }
            1 => Parameter::Pointer(self.value()),
            _ => Parameter::Value(self.value()),
        }
    }

    /// The scalars of a type, as what stands behind the name of a value.
    fn leaves(&self, ty: &Type, path: &str, all: &mut Vec<(String, usize)>) {
        match ty {
            Type::Scalar(scalar) => all.push((path.to_owned(), *scalar)),
            Type::Struct(number) => {
                for (k, member) in self.structs[*number].iter().enumerate() {
                    self.leaves(member, &format!("{path}.m{k}"), all);
                }
            }
            Type::Array(element, count) => (0..*count).for_each(|k| self.leaves(element, &format!("{path}[{k}]"), all)),
        }
    }

    fn leaves_of(&self, ty: &Type, name: &str) -> Vec<(String, usize)> {
        let mut all = Vec::new();
        self.leaves(ty, name, &mut all);
        all
    }

    /// The scalars that a call brings: where each is found.
    fn brought(&self, signature: &Signature) -> Vec<(String, usize)> {
        let mut all = Vec::new();
        for (k, parameter) in signature.parameters.iter().enumerate() {
            match parameter {
                Parameter::Value(ty) => self.leaves(ty, &format!("p{k}"), &mut all),
                Parameter::Array { element, count, .. } => {
                    (0..*count).for_each(|i| self.leaves(element, &format!("p{k}[{i}]"), &mut all));
                }
                Parameter::Pointer(ty) => self.leaves(ty, &format!("p{k}[0]"), &mut all),
            }
        }
        all
    }

    /// Those that it changes.
    fn changed(&self, signature: &Signature) -> Vec<(String, usize)> {
        let is_written = |path: &str| {
            let number: usize = path[1..].split(['[', '.']).next().and_then(|k| k.parse().ok()).expect("a parameter");
            match &signature.parameters[number] {
                Parameter::Value(_) => false,
                Parameter::Array { is_const, .. } => !is_const,
                Parameter::Pointer(_) => true,
            }
        };
        self.brought(signature).into_iter().filter(|(path, _)| is_written(path)).collect()
    }
}

/// How IVL, or C, writes what the program is made of.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    Ivl,
    C,
}

impl Language {
    fn scalar(self, scalar: usize) -> &'static str {
        if self == Language::Ivl { SCALARS[scalar].0 } else { SCALARS[scalar].1 }
    }

    fn of(self, ty: &Type) -> String {
        match ty {
            Type::Scalar(scalar) => self.scalar(*scalar).to_owned(),
            Type::Struct(number) if self == Language::Ivl => format!("s{number}"),
            Type::Struct(number) => format!("struct s{number}"),
            Type::Array(..) => unreachable!("members alone are arrays"),
        }
    }

    /// The value at a path as a 64-bit number.
    fn read(self, path: &str, scalar: usize) -> String {
        let number = if self == Language::Ivl { "int64" } else { "long long" };
        match scalar {
            0 => format!("({path} ? 1 : 0)"),
            9 | 10 => format!("(({number}) ({path} * 4))"),
            _ => format!("(({number}) {path})"),
        }
    }

    /// Sets what is at a path to a constant: small, but for integers of 64 bits.
    fn set(self, path: &str, scalar: usize, number: i64) -> String {
        let bits = [1, 8, 16, 32, 64, 8, 16, 32, 64, 8, 8][scalar];
        let ty = self.scalar(scalar);
        let value = match scalar {
            0 => (if number & 1 == 1 { "true" } else { "false" }).to_owned(),
            9 | 10 => format!("({ty}) {} / 4", (number as i8)),
            5..=8 => {
                format!("({ty}) {}u{}", number as u64 & (u64::MAX >> (64 - bits)), if self == Language::Ivl { "l" } else { "ll" })
            }
            _ => {
                let number = number << (64 - bits) >> (64 - bits);
                format!("({ty}) ({} + {})", literal(number / 2, self), literal(number - number / 2, self))
            }
        };
        format!("{path} = {value};")
    }
}

fn literal(number: i64, language: Language) -> String {
    format!("({number}{})", if language == Language::Ivl { "l" } else { "ll" })
}

impl Batch {
    /// `S name(int8 p0, …)`
    fn declared(&self, language: Language, prefix: &str, number: usize) -> String {
        let signature = &self.signatures[number];
        let mut parameters = Vec::new();
        for (k, parameter) in signature.parameters.iter().enumerate() {
            parameters.extend(match (parameter, language) {
                (Parameter::Value(ty), _) => vec![format!("{} p{k}", language.of(ty))],
                (Parameter::Pointer(ty), Language::Ivl) => vec![format!("{} *scalar p{k}", language.of(ty))],
                (Parameter::Pointer(ty), Language::C) => vec![format!("{} *p{k}", language.of(ty))],
                (Parameter::Array { element, count, is_fixed, is_const }, _) => {
                    let constant = if *is_const { "const " } else { "" };
                    let element = language.of(element);
                    let array = match (language, is_fixed) {
                        (Language::Ivl, true) => format!("{constant}{element} p{k}[{count}]"),
                        (Language::Ivl, false) => format!("{constant}{element} p{k}[n{k}]"),
                        (Language::C, _) => format!("{constant}{element} *p{k}"),
                    };
                    let number = format!("{} n{k}", language.scalar(3));
                    if *is_fixed { vec![array] } else { vec![array, number] }
                }
            });
        }
        let parameters = if parameters.is_empty() && language == Language::C { vec!["void".to_owned()] } else { parameters };
        let result = signature.result.as_ref().map_or("void".to_owned(), |ty| language.of(ty));
        format!("{result} {prefix}{number}({})", parameters.join(", "))
    }

    /// A call of it with the arguments of these names.
    fn call(&self, prefix: &str, number: usize, counts: bool) -> String {
        let signature = &self.signatures[number];
        let argument = |(k, parameter): (usize, &Parameter)| match parameter {
            Parameter::Array { is_fixed: false, count, .. } if counts => format!("p{k}, {count}"),
            Parameter::Array { is_fixed: false, .. } => format!("p{k}, n{k}"),
            Parameter::Value(_) | Parameter::Pointer(_) | Parameter::Array { .. } => format!("p{k}"),
        };
        let arguments: Vec<String> = signature.parameters.iter().enumerate().map(argument).collect();
        format!("{prefix}{number}({})", arguments.join(", "))
    }

    /// The structs, and a function of each signature that adds up what it is given.
    fn exports(&self) -> String {
        let mut text = String::new();
        for (k, members) in self.structs.iter().enumerate() {
            let member = |(k, ty): (usize, &Type)| match ty {
                Type::Array(element, count) => format!("{} m{k}[{count}]; ", Language::Ivl.of(element)),
                Type::Scalar(_) | Type::Struct(_) => format!("{} m{k}; ", Language::Ivl.of(ty)),
            };
            let members: String = members.iter().enumerate().map(member).collect();
            let _ = writeln!(text, "struct s{k} {{ {members}}};");
        }
        for (number, signature) in self.signatures.iter().enumerate() {
            let _ = writeln!(text, "export {} {{\n    int64 scalar t = {number}l;", self.declared(Language::Ivl, "x", number));
            for (k, (path, scalar)) in self.brought(signature).iter().enumerate() {
                let _ = writeln!(text, "    t = t * 31l + {} + {k}l;", Language::Ivl.read(path, *scalar));
            }
            for (k, parameter) in signature.parameters.iter().enumerate() {
                if let Parameter::Array { is_fixed: false, .. } = parameter {
                    let _ = writeln!(text, "    t = t * 31l + (int64) n{k};");
                }
            }
            for (path, scalar) in self.changed(signature) {
                let _ = writeln!(text, "    {}\n    t = t * 31l + 7l;", computed(&path, scalar));
            }
            if let Some(result) = &signature.result {
                let _ = writeln!(text, "    {} scalar r;", Language::Ivl.of(result));
                for (path, scalar) in self.leaves_of(result, "r") {
                    let _ = writeln!(text, "    {}\n    t = t * 31l + 7l;", computed(&path, scalar));
                }
                text += "    return r;\n";
            }
            text += "}\n";
        }
        text
    }

    /// For each function one that has C call it.
    fn callers(&self) -> String {
        let mut text = String::new();
        for (number, signature) in self.signatures.iter().enumerate() {
            let (c, y) = (self.declared(Language::Ivl, "c", number), self.declared(Language::Ivl, "y", number));
            let returned = if signature.result.is_some() { "return " } else { "" };
            let _ = writeln!(text, "extern \"C\" {c};\nexport {y} {{ {returned}{}; }}", self.call("c", number, false));
        }
        text
    }

    /// Declares the arguments of a call, and gives them values.
    fn arguments(&self, language: Language, number: usize) -> String {
        let (mut text, signature) = (String::new(), &self.signatures[number]);
        for (k, parameter) in signature.parameters.iter().enumerate() {
            let (ty, count) = match parameter {
                Parameter::Value(ty) => (ty, String::new()),
                Parameter::Pointer(ty) => (ty, "[1]".to_owned()),
                Parameter::Array { element, count, .. } => (element, format!("[{count}]")),
            };
            let _ = writeln!(text, "    {} p{k}{count};", language.of(ty));
        }
        let mut random = Random::new(number as u64 + 1);
        for (path, scalar) in self.brought(signature) {
            let number = if random.one_in(3) { random.bits() as i64 } else { random.between(-9, 99) };
            let _ = writeln!(text, "    {}", language.set(&path, scalar, number));
        }
        text
    }

    /// A function for each that calls it and prints what comes back.
    fn calls(&self, language: Language, prefix: &str) -> String {
        let mut text = String::new();
        for (number, signature) in self.signatures.iter().enumerate() {
            let (scalar, print, letter, head) = match language {
                Language::Ivl => (" scalar", "print", " %", "void"),
                Language::C => ("", "printf", " %lld", "static void"),
            };
            let returned = signature.result.as_ref().map_or(String::new(), |ty| format!("{}{scalar} r = ", language.of(ty)));
            let _ = writeln!(text, "{head} test_{prefix}{number}() {{");
            let _ = writeln!(text, "{}    {returned}{};", self.arguments(language, number), self.call(prefix, number, true));
            let result = signature.result.as_ref().map_or(Vec::new(), |ty| self.leaves_of(ty, "r"));
            let shown: Vec<(String, usize)> = result.into_iter().chain(self.changed(signature)).collect();
            let values: String = shown.iter().map(|(path, scalar)| format!(", {}", language.read(path, *scalar))).collect();
            let _ = writeln!(text, "    {print}(\"{number}:{}\\n\"{values});\n}}", letter.repeat(shown.len()));
        }
        text
    }

    fn main(&self, prefixes: &[&str]) -> String {
        let calls =
            prefixes.iter().flat_map(|prefix| (0..self.signatures.len()).map(move |k| format!("    test_{prefix}{k}();\n")));
        format!("int main() {{\n{}    return 0;\n}}\n", calls.collect::<String>())
    }

    /// What C defines, and calls.
    fn program(&self) -> String {
        let mut text = "#include <stdio.h>\n#include \"k.h\"\n".to_owned();
        for (number, signature) in self.signatures.iter().enumerate() {
            let returned = if signature.result.is_some() { "return " } else { "" };
            let c = self.declared(Language::C, "c", number);
            let _ = writeln!(text, "{c};\n{c} {{ {returned}{}; }}", self.call("x", number, false));
        }
        text + &self.calls(Language::C, "x") + &self.calls(Language::C, "y") + &self.main(&["x", "y"])
    }
}

/// Sets what is at a path to a part of the sum.
fn computed(path: &str, scalar: usize) -> String {
    let ty = SCALARS[scalar].0;
    let value = match scalar {
        0 => "(t & 2l) != 0l".to_owned(),
        9 | 10 => format!("({ty}) (t & 4095l) / 4"),
        _ => format!("({ty}) t"),
    };
    format!("{path} = {value};")
}

/// The compilers of C that are here.
fn compilers() -> Vec<&'static str> {
    let clang = ["clang-22", "clang"].into_iter().find(|name| has(name));
    ["cc"].into_iter().filter(|name| has(name)).chain(clang).collect()
}

/// Compares what the programs of a batch print with what the interpreter does; how many calls.
fn compare(seed: u64, count: usize, options: &str, compilers: &[&str]) -> usize {
    let batch = Batch::new(seed, count);
    let folder = Folder::new();
    let exports = batch.exports();
    folder.write("interp.ivl", format!("{exports}{}{}", batch.calls(Language::Ivl, "x"), batch.main(&["x"])));
    folder.write("k.ivl", format!("{exports}{}", batch.callers()));
    folder.write("main.c", batch.program());
    let once = folder.ivlc("interp interp.ivl").exits(0).stdout;
    assert_eq!(once.lines().count(), count);
    let expected = once.repeat(2);
    folder.ivlc(&format!("build k.ivl --emit obj,header -o k {options}")).exits(0);
    for (compiler, level) in compilers.iter().zip(["-O2", "-O1"]) {
        let mut c = folder.other(compiler);
        run(c.args(["-std=gnu11", "-w", level, "main.c", "k.o", "-lm", "-o", "main"])).exits(0);
        let found = run(&mut folder.other(folder.path("main"))).exits(0).stdout;
        if let Some((at, (a, b))) = expected.lines().zip(found.lines()).enumerate().find(|(_, (a, b))| a != b) {
            let (caller, number) = (if at < count { "called" } else { "called back" }, at % count);
            let declared = batch.declared(Language::Ivl, "x", number);
            panic!("seed {seed}, {compiler}, {options}, {caller}: {declared}\nexpected {a}\nfound    {b}\n{exports}");
        }
        assert_eq!(expected.lines().count(), found.lines().count());
    }
    2 * count * compilers.len()
}

#[test]
fn exports_take_and_give_what_c_does() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let (wanted, seed) = (number("IVL_ABI").unwrap_or(BATCH), number("IVL_SEED").unwrap_or(1) as u64);
    let compilers = compilers();
    if compilers.is_empty() {
        return;
    }
    let start = std::time::Instant::now();
    let levels = ["-O1", "-O0 --target sse2", "-O3", "-O2 --target avx"];
    let batches = wanted.div_ceil(BATCH) as u64;
    let of = |k: u64| compare(seed + k, BATCH.min(wanted), levels[k as usize % levels.len()], &compilers);
    let calls: usize = (0..batches).map(of).sum();
    println!(
        "{wanted} exports from seed {seed}, {calls} calls by {}: {:.1} s",
        compilers.join(" and "),
        start.elapsed().as_secs_f64()
    );
}

//! `// run at 1, 4, 8: f([1, -2], 3) == [1, 0]`: calls of a function at several lengths.
//!
//! A list is repeated over the lanes; what is no list is a scalar at every length. At length 1 there is a call for each
//! element, so each such test compares N lanes with the scalar instance: SPMD's own definition. At each length above 1
//! the function is called a second time under a mask, as an instance of its own with the mask as hidden parameter, and
//! inactive lanes have to print as `_`.
//!
//! Arguments pass through a variable of the parameter's type that the optimizer cannot see through.

use libtest_mimic::Failed;
use std::fmt::Write as _;

/// An argument or result: one value for all lanes, or a list that is repeated.
enum Lanes {
    One(String),
    List(Vec<String>),
}

impl Lanes {
    fn parse(text: &str) -> Lanes {
        match text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            Some(list) => Lanes::List(split(list)),
            None => Lanes::One(text.to_owned()),
        }
    }

    fn lane(&self, i: usize) -> &str {
        match self {
            Lanes::One(value) => value,
            Lanes::List(values) => &values[i % values.len()],
        }
    }

    fn count(&self) -> usize {
        match self {
            Lanes::One(_) => 1,
            Lanes::List(values) => values.len(),
        }
    }
}

/// What a call prints.
pub struct Line {
    /// The call, its length, and whether it is made under a mask.
    pub call: String,
    /// Its result.
    pub result: String,
}

/// One call at one length.
struct Call<'t> {
    /// As the test writes it.
    text: &'t str,
    function: &'t str,
    /// Their parameters' types without lengths.
    types: &'t [String],
    arguments: &'t [Lanes],
    result: &'t Lanes,
}

/// The lanes of the mask under which a call is repeated.
fn is_active(lane: usize) -> bool {
    lane % 3 != 1
}

/// A `main` behind the text that makes all calls of the `run at` lines, and what it prints. Where C is there to ask, the
/// arguments are unknown to the optimizer.
pub fn program(text: &str, runs: &[&str], has_c: bool) -> Result<(String, Vec<Line>), Failed> {
    program_at(text, runs, has_c, None)
}

/// The same, with all calls at one length where there is one.
pub fn program_at(text: &str, runs: &[&str], has_c: bool, only: Option<u8>) -> Result<(String, Vec<Line>), Failed> {
    let (mut body, mut expected) = (String::new(), Vec::new());
    for run in runs {
        let usage = || Failed::from(format!("`{run}` is not `lengths: call == result`"));
        let (lengths, call) = run.split_once(':').ok_or_else(usage)?;
        let (call, result) = call.rsplit_once("==").ok_or_else(usage)?;
        let text_of_call = call.trim();
        let (function, arguments) = text_of_call.split_once('(').ok_or_else(usage)?;
        let arguments = split(arguments.strip_suffix(')').ok_or_else(usage)?);
        let arguments: Vec<Lanes> = arguments.iter().map(|a| Lanes::parse(a)).collect();
        let types = parameter_types(text, function).ok_or_else(|| format!("`{function}` is not defined"))?;
        if types.len() != arguments.len() {
            return Err(format!("`{function}` has {} parameters: {run}", types.len()).into());
        }
        let result = Lanes::parse(result.trim());
        let call = Call { text: text_of_call, function, types: &types, arguments: &arguments, result: &result };
        let listed = lengths.split(',').map(|length| length.trim().parse()).collect::<Result<Vec<usize>, _>>()?;
        for length in only.map_or(listed, |length| vec![length.into()]) {
            if length == 1 {
                let count = arguments.iter().map(Lanes::count).chain([call.result.count()]).max().unwrap_or(1);
                for lane in 0..count {
                    call.scalar(lane, &mut body)?;
                    let call = format!("{text_of_call} at length 1, of lane {lane}");
                    expected.push(Line { call, result: result.lane(lane).to_owned() });
                }
            } else {
                call.vector(length, &mut body, &mut expected)?;
            }
        }
    }
    let (declaration, opaque) = if has_c { ("extern \"C\" int getpid();", "getpid() > 0") } else { ("", "true") };
    let source = format!("{text}\n{declaration}\nint main() {{\n    bool scalar opaque = {opaque};\n{body}    return 0;\n}}\n");
    Ok((source, expected))
}

impl Call<'_> {
    /// `name`, a variable with this value that no optimizer knows.
    fn declare(ty: &str, name: &str, value: &str, body: &mut String) -> Result<(), Failed> {
        let other = if ty.starts_with("bool") { "false" } else { "0" };
        Ok(writeln!(body, "        {ty} {name} = opaque ? {value} : {other};")?)
    }

    fn arguments(&self) -> String {
        (0..self.arguments.len()).map(|k| format!("a{k}")).collect::<Vec<_>>().join(", ")
    }

    fn scalar(&self, lane: usize, body: &mut String) -> Result<(), Failed> {
        writeln!(body, "    {{")?;
        for (k, (argument, ty)) in self.arguments.iter().zip(self.types).enumerate() {
            Self::declare(&format!("{ty} scalar"), &format!("a{k}"), argument.lane(lane), body)?;
        }
        Ok(writeln!(body, "        print(\"%\\n\", {}({}));\n    }}", self.function, self.arguments())?)
    }

    fn vector(&self, length: usize, body: &mut String, expected: &mut Vec<Line>) -> Result<(), Failed> {
        let list = |lane: &dyn Fn(usize) -> String| format!("<{}>", (0..length).map(lane).collect::<Vec<_>>().join(","));
        writeln!(body, "    {{")?;
        for (k, (argument, ty)) in self.arguments.iter().zip(self.types).enumerate() {
            let (ty, value) = match argument {
                Lanes::One(value) => (format!("{ty} scalar"), value.clone()),
                Lanes::List(_) => (format!("{ty} block[{length}]"), list(&|i| format!("({})", argument.lane(i)))),
            };
            Self::declare(&ty, &format!("a{k}"), &value, body)?;
        }
        let call = format!("print(\"%\\n\", {}({}));", self.function, self.arguments());
        writeln!(body, "        {call}")?;
        let mut expect = |how: &str, result| {
            expected.push(Line { call: format!("{} at length {length}{how}", self.text), result });
        };
        match self.result {
            // Looked at as a whole, so that a mask might change it.
            Lanes::One(value) => expect("", value.clone()),
            Lanes::List(_) => {
                expect("", list(&|i| self.result.lane(i).to_owned()));
                let mask = list(&|i| is_active(i).to_string());
                Self::declare(&format!("bool block[{length}]"), "mask", &mask, body)?;
                writeln!(body, "        if (mask) {call}")?;
                let lane = |i: usize| if is_active(i) { self.result.lane(i).to_owned() } else { "_".to_owned() };
                expect(" under a mask", list(&lane));
            }
        }
        Ok(writeln!(body, "    }}")?)
    }
}

/// Splits at commas outside of brackets.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("a part").push(c);
        }
    }
    parts.into_iter().map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

/// The element types of the parameters of the first definition of a function, read off its text.
fn parameter_types(text: &str, function: &str) -> Option<Vec<String>> {
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    let list = code.filter_map(|line| {
        let (before, after) = line.split_once(&format!(" {function}("))?;
        let is_definition = !before.is_empty() && before.starts_with(|c: char| c.is_alphabetic());
        is_definition.then(|| after.split_once(')')).flatten().map(|(list, _)| list)
    });
    let list = list.into_iter().next()?;
    Some(
        split(list)
            .iter()
            .map(|p| p.trim_start_matches("const ").split([' ', '*', '&']).next().unwrap_or("").to_owned())
            .collect(),
    )
}

//! Stage zero changes nothing: a program, and the same program with families, definitions, parameters and parts that are chosen, make the
//! same loops for each schedule, up to names.

use super::generator::Program;
use super::oracles::loaded;
use ivl_random::Random;
use ivlc::driver::Options;
use ivlc::machine::Isa;
use ivlc::pipeline::Outputs;
use ivlc::pipeline::loops::print;

/// A mistake that stage zero could make, made in the text that it is given.
pub type Mistake = fn(&str) -> String;

/// How it went.
pub struct Outcome {
    /// Schedules whose loops were compared.
    pub pairs: u64,
    /// Families, definitions, parameters, choices and definitions with funcs that were drawn.
    pub drawn: [u64; 5],
}

/// Compares the loops of a program with those of a form of it that is written with stage zero.
pub fn compare(program: &Program, seed: u64, mistake: Option<Mistake>) -> Result<Outcome, String> {
    let mut random = Random::new(seed ^ 0x57a6ed);
    let value = random.below(3) as i64;
    let mut writer = Writer { random, program, value, is_shuffled: false, drawn: [0; 5] };
    let staged = writer.text();
    let staged = mistake.map_or(staged.clone(), |mistake| mistake(&staged));
    let (plain, own) = (loops(&program.text()), loops(&staged));
    let told = |what: &str| format!("{what}\n{staged}");
    match (plain, own) {
        (Ok(plain), Ok(own)) if plain.len() == own.len() => {
            for (a, b) in plain.iter().zip(&own) {
                let is_same = if writer.is_shuffled { lines(a) == lines(b) } else { a == b };
                if !is_same {
                    return Err(told(&format!("other loops:\n{a}\n{b}")));
                }
            }
            Ok(Outcome { pairs: plain.len() as u64, drawn: writer.drawn })
        }
        // A generated read may be unbounded, in both.
        (Err(plain), Err(own)) if plain == own => Ok(Outcome { pairs: 0, drawn: writer.drawn }),
        // Which func may be computed in the loops of another one that does not read it depends on their order.
        (Ok(_), Err(own)) if writer.is_shuffled && own.contains("and does not read it") => {
            Ok(Outcome { pairs: 0, drawn: writer.drawn })
        }
        (Ok(_), Ok(_)) => Err(told("another number of schedules")),
        (plain, own) => Err(told(&format!("{:?} by hand, {:?} here", plain.err(), own.err()))),
    }
}

/// The loops of all schedules, or the code of what is refused.
fn loops(text: &str) -> Result<Vec<String>, String> {
    let mut session = loaded(text);
    let options = Options { width: Some(8), ..Options::new(Isa::host()) };
    let made = session.scheduling(&options, Outputs::AsAsked);
    let error = session.diagnostics.iter().find(|d| d.severity == ivlc::diagnostics::Severity::Error);
    if let Some(error) = error {
        let why = if error.code.name == "unbounded-access" { String::new() } else { format!(": {}", error.message) };
        return Err(format!("{}{why}", error.code.name));
    }
    Ok(made.schedules.iter().map(|scheduled| by_hand(&print::print(&scheduled.windows.nest))).collect())
}

/// The words for inline reductions.
const REDUCTIONS: [&str; 4] = ["sum", "product", "minimum", "maximum"];

/// The lines of a text without their order: funcs that do not read each other have none.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Loops with the names that a person would have written: `g[1, 3]` is `f3`, `x'2` is `q`; inline reductions have no numbers.
fn by_hand(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_member = rest.starts_with("g[1, ") && !made.ends_with(|c: char| c.is_alphanumeric());
        if let Some((index, behind)) = rest.strip_prefix("g[1, ").and_then(|rest| rest.split_once(']')).filter(|_| is_member) {
            made += &format!("f{index}");
            rest = behind;
        } else if c == '\'' {
            // What would have been captured was `q`.
            made.truncate(made.trim_end_matches(char::is_alphanumeric).len());
            made.push('q');
            rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit());
        } else if c == '.' && REDUCTIONS.iter().any(|word| made.ends_with(word)) {
            rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            made.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    made
}

struct Writer<'p> {
    random: Random,
    program: &'p Program,
    /// What N is.
    value: i64,
    /// Do members stand in another order than by hand?
    is_shuffled: bool,
    drawn: [u64; 5],
}

/// A func with its updates.
struct Part {
    number: usize,
    texts: Vec<String>,
}

impl Writer<'_> {
    fn text(&mut self) -> String {
        let output = self.program.output.0.clone();
        let last: usize = output[1..].parse().expect("a number");
        let mut parts: Vec<Part> = Vec::new();
        for definition in &self.program.definitions {
            match definition.strip_prefix("fun f") {
                Some(rest) => {
                    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                    parts.push(Part { number: digits.parse().expect("a number"), texts: vec![definition.clone()] });
                }
                None => parts.last_mut().expect("a func").texts.push(definition.clone()),
            }
        }
        let members: Vec<usize> = (0..last).filter(|_| !self.random.one_in(3)).collect();
        self.drawn[0] += members.len() as u64;
        // Members may stand anywhere, where no func by itself is between them.
        if members.len() == last && last > 1 && self.random.one_in(2) {
            self.is_shuffled = true;
            for k in (1..last).rev() {
                let other = self.random.below(k + 1);
                parts.swap(k, other);
            }
        }
        let value = self.value;
        let mut definitions = String::new();
        let mut body = String::new();
        for part in &parts {
            let texts: Vec<String> = part.texts.iter().map(|text| self.with_value(text, value)).collect();
            if let Some(text) = self.with_own_func(&texts, part.number, &mut definitions) {
                let text = self.with_members(&text, &members);
                body += &format!("    {}\n", self.chosen(&text, true, part.number, &members));
                continue;
            }
            for (k, text) in texts.into_iter().enumerate() {
                let text = if k == 0 { self.with_definition(&text, part.number, &mut definitions) } else { text };
                let text = self.with_members(&text, &members);
                body += &format!("    {}\n", self.chosen(&text, k == 0, part.number, &members));
            }
        }
        let definitions = self.with_members(&definitions, &members);
        let template = format!("template <int N = {value}, bool yes = true>\n");
        let mut text = format!("{template}pipeline p(int a[], uint8 b[,], int n) -> {output} {{\n{definitions}{body}}}\n");
        for (k, directives) in self.program.schedules.iter().enumerate() {
            let directives = self.with_members(&directives.join(" "), &members);
            text += &match self.random.below(3) {
                0 if !directives.is_empty() => {
                    format!("schedule p.s{k} {{ if (N < 5 && yes) {{ {directives} }} else missing.inline(); }}\n")
                }
                1 => format!("schedule p.s{k} {{ for (once = N .. N + 1) {{ {directives} }} }}\n"),
                _ => format!("schedule p.s{k} {{ {directives} }}\n"),
            };
        }
        text
    }

    /// `x + 2` is `x + N`, where N is 2.
    fn with_value(&mut self, text: &str, value: i64) -> String {
        let wanted = format!("x + {value},");
        if self.random.one_in(2) || !text.contains(&wanted) {
            return text.to_owned();
        }
        self.drawn[2] += 1;
        text.replacen(&wanted, "x + N,", 1)
    }

    /// The func by a definition that takes one of the sources that it reads. The variables have other names there, the variables of
    /// reductions those that stand where it is used.
    fn with_definition(&mut self, text: &str, number: usize, definitions: &mut String) -> String {
        let head_end = text.find(") = ").expect("a func");
        let (head, value) = (&text[..head_end], text[head_end + 4..].trim_end_matches(';'));
        let variables: Vec<&str> = head[head.find('(').expect("variables") + 1..].split(", ").collect();
        let sources: Vec<&str> =
            ["a", "b", "f0", "f1", "f2"].into_iter().filter(|name| has_word(value, &format!("{name}("))).collect();
        if sources.is_empty() || self.random.one_in(2) {
            return text.to_owned();
        }
        self.drawn[1] += 1;
        let source = sources[self.random.below(sources.len())];
        let called = |text: &str| replaced(text, &format!("{source}("), "h(");
        let mut inner = called(value);
        let new: Vec<String> = variables.iter().map(|v| format!("{v}{v}")).collect();
        for (old, new) in variables.iter().zip(&new) {
            inner = replaced(&inner, old, new);
        }
        let captures = !variables.is_empty() && inner.contains(" for q = ") && self.random.one_in(2);
        if captures {
            inner = replaced(&inner, "q", variables[0]);
        }
        let name = format!("d{number}");
        definitions.push_str(&format!("    fun {name}(h)({}) {{ return {inner}; }}\n", new.join(", ")));
        format!("{head}) = {name}({source})({});", variables.join(", "))
    }

    /// A func with updates, which is the func of a definition that takes one of the sources of its pure stage.
    fn with_own_func(&mut self, texts: &[String], number: usize, definitions: &mut String) -> Option<String> {
        let (pure, updates) = texts.split_first().filter(|(_, updates)| !updates.is_empty())?;
        let head_end = pure.find(") = ").expect("a func");
        let (head, value) = (&pure[..head_end], &pure[head_end + 4..]);
        let variables = &head[head.find('(').expect("variables") + 1..];
        let sources: Vec<&str> =
            ["a", "b", "f0", "f1", "f2"].into_iter().filter(|name| has_word(value, &format!("{name}("))).collect();
        if sources.is_empty() || self.random.one_in(2) {
            return None;
        }
        self.drawn[4] += 1;
        let source = sources[self.random.below(sources.len())];
        let mut inner = format!("fun t({variables}) = {value}");
        for update in updates {
            inner += &format!(" {}", replaced(update, &format!("f{number}("), "t("));
        }
        inner = replaced(&inner, &format!("{source}("), "h(");
        // The variables have other names there.
        let mut new = Vec::new();
        for variable in variables.split(", ").filter(|variable| !variable.is_empty()) {
            inner = replaced(&inner, variable, &format!("{variable}{variable}"));
            new.push(format!("{variable}{variable}"));
        }
        let (name, new) = (format!("d{number}"), new.join(", "));
        definitions.push_str(&format!("    fun {name}(h)({new}) {{ {inner} return t({new}); }}\n"));
        Some(format!("{head}) = {name}({source})({variables});"))
    }

    /// `f1` is `g[1, 1]`, for members.
    fn with_members(&mut self, text: &str, members: &[usize]) -> String {
        let mut text = text.to_owned();
        for &number in members {
            let index = match self.random.below(4) {
                0 => format!("{number} + 0"),
                1 => format!("{} - N", number as i64 + self.value),
                _ => number.to_string(),
            };
            text = replaced(&text, &format!("f{number}"), &format!("g[1, {index}]"));
        }
        text
    }

    /// The same among parts that are chosen or repeated.
    fn chosen(&mut self, text: &str, is_fun: bool, number: usize, members: &[usize]) -> String {
        let drawn = self.random.below(5);
        self.drawn[3] += u64::from(drawn < 3);
        match drawn {
            0 => format!("static if (yes) {text} else {{ fun missing(x) = nothing(x); }}"),
            1 => format!("static if (!yes) fun missing(x) = nothing(x); else {{ {text} }}"),
            2 if is_fun && members.contains(&number) => {
                let (_, behind) = text.split_once(']').expect("a member");
                format!("static for (int at = {number} .. {number} + 1) fun g[1, at]{behind}")
            }
            3 if is_fun && members.contains(&number) => {
                let (_, behind) = text.split_once(']').expect("a member");
                format!("fun g[one = 1 .. 2, k = {number} .. {number} + one]{behind}")
            }
            _ => text.to_owned(),
        }
    }
}

/// Does this word stand in a text?
fn has_word(text: &str, word: &str) -> bool {
    replaced(text, word, "") != *text
}

/// A text with another word in the place of one; a letter, a digit or a point in front of it, or a letter or digit behind it makes it
/// another word.
fn replaced(text: &str, word: &str, by: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, behind) = (&rest[..at], &rest[at + word.len()..]);
        let is_begun = before.chars().next_back().or(made.chars().next_back()).is_some_and(|c| is_part(c) || c == '.');
        let goes_on = word.ends_with(is_part) && behind.starts_with(is_part);
        made += before;
        made += if is_begun || goes_on { word } else { by };
        rest = behind;
    }
    made + rest
}

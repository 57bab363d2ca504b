//! Declarations: of structs, functions, templates and names for types.

use super::{Around, Walk};
use crate::diagnostics::Edit;
use crate::syntax::token::TokenKind;

impl Walk<'_> {
    pub(super) fn declaration(&mut self) -> bool {
        match self.around.last() {
            None => self.item(),
            Some(Around::Struct) => self.member(),
            Some(Around::Parameters) => self.parameter(),
            Some(Around::Block) => self.function_pointer(),
            Some(Around::Enum | Around::Values | Around::For | Around::Brackets) => false,
        }
    }

    fn item(&mut self) -> bool {
        match self.word(0) {
            Some("typedef") => self.type_definition(),
            // A definition that takes funcs: its `...` are no parameters of C.
            Some("fun") if self.own_word(1).is_some() && self.is(2, "(") => {
                let close = self.partner(2).unwrap_or(2);
                let last = self.partner(close + 1).filter(|_| self.is(close + 1, "("));
                self.keep(last.unwrap_or(close) + 1);
                while !self.is(0, ";") && !self.is(0, "{") && self.at + 1 < self.tokens.len() {
                    self.keep(1);
                }
                true
            }
            Some("union")
                if self.own_word(1).is_some() && self.is(2, "{") || self.word(0) == Some("union") && self.is(1, "{") =>
            {
                self.say(
                    0,
                    1,
                    "there are no unions",
                    "write a `struct`; `intbits(x)` and `floatbits(n)` look at the bits of numbers",
                );
                self.put_name("struct");
                self.skip(1);
                true
            }
            Some("class") if self.own_word(1).is_some() => {
                let edits = vec![Edit::replace(self.span(0, 1), "struct")];
                self.say_with(0, 1, "there are no classes", "write `struct`, and functions outside of it", edits);
                self.put_name("struct");
                self.skip(1);
                true
            }
            Some("enum") if matches!(self.word(1), Some("class" | "struct")) && self.word(2).is_some() => {
                let help = "write `enum`: its constants are known by their own names, without `::`";
                self.say_with(1, 1, "there is no `enum class`", help, self.without(1, 1));
                self.keep(1);
                self.skip(1);
                true
            }
            Some("namespace") if self.own_word(1).is_some() && self.is(2, "{") => self.namespace(),
            Some("using") if self.word(1).is_some() => {
                self.say(
                    0,
                    1,
                    "there is no `using`",
                    "leave it out: `import \"file.ivl\";` makes the names of a file known, `typedef` names a type",
                );
                let count = self.to_semicolon();
                self.skip(count);
                true
            }
            Some("template") if self.is(1, "<") => self.template(),
            Some("extern") if self.word(1).is_some() => {
                self.say(
                    0,
                    1,
                    "there is no `extern` without `\"C\"`",
                    "leave it out: `import \"file.ivl\";` makes the names of a file known",
                );
                self.skip(1);
                true
            }
            _ => self.operator() || self.function_pointer(),
        }
    }

    /// `typedef struct { … } T;`
    fn type_definition(&mut self) -> bool {
        if let Some(kind @ ("struct" | "enum" | "union")) = self.word(1) {
            let kind = kind.to_owned();
            let open = if self.is(2, "{") { 2 } else { 3 };
            let close = self.partner(open).filter(|_| self.is(open, "{"));
            if let Some(close) = close
                && let Some(name) = self.own_word(close + 1).map(str::to_owned)
            {
                let word = if kind == "enum" { "enum" } else { "struct" };
                let edits =
                    vec![Edit::replace(self.span(0, open), format!("{word} {name} ")), Edit::replace(self.span(close, 2), "}")];
                self.say_with(0, 2, format!("`typedef {kind}` is not needed"), format!("write `{word} {name} {{ … }};`"), edits);
                self.put_name(word);
                self.put_name(&name);
                let end = self.at + close;
                self.skip(open);
                while self.at < end {
                    self.token();
                }
                self.bracket();
                self.skip(1);
                return true;
            }
        }
        let star = (1..8).find(|&k| self.is(k, "(") && self.is(k + 1, "*"));
        if let Some(at) = star.filter(|&at| (1..at).all(|k| !self.is(k, ";"))) {
            self.say(
                at,
                self.partner(at).map_or(1, |end| end + 1 - at),
                "there are no pointers to functions",
                INSTEAD_OF_POINTERS,
            );
            let count = self.to_semicolon();
            self.skip(count);
            return true;
        }
        false
    }

    fn namespace(&mut self) -> bool {
        let Some(end) = self.partner(2) else { return false };
        self.say(0, 2, "there are no namespaces", "write its contents without it: the names of a program are all in one space");
        let end = self.at + end;
        self.skip(3);
        while self.at < end {
            self.token();
        }
        self.skip(1);
        true
    }

    /// `template <class T>`
    fn template(&mut self) -> bool {
        let mut at = 2;
        while !self.is(at, ">") && self.at + at < self.tokens.len() && at < 40 {
            match self.word(at) {
                Some("class") => {
                    let edits = vec![Edit::replace(self.span(at, 1), "typename")];
                    self.say_with(at, 1, "a parameter of a template is a `typename`", "write `typename`", edits);
                    let (name, span) = ("typename".into(), self.span(at, 1));
                    self.keep(at);
                    self.out.push(crate::syntax::token::Token { kind: TokenKind::Name(name), span });
                    self.skip(1);
                    self.keep_to_end_of_template();
                    return true;
                }
                _ => at += 1,
            }
        }
        false
    }

    /// The rest of the parameters of a template, of which one was put right already.
    fn keep_to_end_of_template(&mut self) {
        while self.at < self.tokens.len() && !self.is(0, ">") && !self.is(0, "{") && !self.is(0, ";") {
            if self.word(0) == Some("class") {
                self.put_name("typename");
                self.skip(1);
            } else {
                self.keep(1);
            }
        }
    }

    /// `vec3 operator+(vec3 a, vec3 b) { … }`
    fn operator(&mut self) -> bool {
        let type_words = (1..4).find(|&k| self.word(k) == Some("operator") && !self.is(k + 1, ";"));
        let Some(at) = type_words.filter(|&at| (0..at).all(|k| self.word(k).is_some() || self.is(k, "&"))) else { return false };
        let Some(open) = (at + 1..at + 4).find(|&k| self.is(k, "(") && !(self.is(k + 1, ")") && self.is(k + 2, "("))) else {
            return false;
        };
        let Some(close) = self.partner(open) else { return false };
        self.say(at, open - at, "structs have no operators", "write a function: `vec3 add(vec3 a, vec3 b) { … }`");
        let end = if self.is(close + 1, "{") { self.partner(close + 1) } else { Some(close + 1) };
        self.skip(end.map_or(close + 1, |end| end + 1));
        true
    }

    /// What is no member of a struct.
    fn member(&mut self) -> bool {
        let Some(word) = self.word(0).map(str::to_owned) else { return self.bit_field() || self.constructor() };
        if !self.begins_statement() {
            return self.bit_field();
        }
        if matches!(&*word, "public" | "private" | "protected") && self.is(1, ":") {
            self.say_with(0, 2, format!("there is no `{word}:`"), "leave it out: all members are seen", self.without(0, 2));
            self.skip(2);
            return true;
        }
        if matches!(&*word, "struct" | "union" | "enum") {
            let open = if self.is(1, "{") { 1 } else { 2 };
            if let Some(close) = self.partner(open).filter(|_| self.is(open, "{")) {
                self.say(
                    0,
                    open,
                    format!("a `{word}` inside of a struct"),
                    "define it in front of the struct, and use its name here",
                );
                self.skip(close + 1);
                let count = self.to_semicolon();
                self.skip(count);
                return true;
            }
        }
        self.operator() || self.constructor() || self.function_pointer()
    }

    /// `int bits : 3;`
    fn bit_field(&mut self) -> bool {
        let is_one = self.is(0, ":") && self.is(2, ";") && self.previous_word().is_some();
        if is_one {
            self.say_with(0, 2, "there are no bit fields", "leave it out, or pack bits with `<<` and `|`", self.without(0, 2));
            self.skip(2);
        }
        is_one
    }

    /// A function in a struct: `float length() { … }`, `P(int x) : x(x) { … }`
    fn constructor(&mut self) -> bool {
        let open = (1..6).find(|&k| self.is(k, "("));
        let Some(open) = open
            .filter(|&open| (0..open).all(|k| self.word(k).is_some() || self.is(k, "*") || self.is(k, "&") || self.is(k, "~")))
        else {
            return false;
        };
        if self.is(open + 1, "*") {
            return false;
        }
        let Some(close) = self.partner(open) else { return false };
        let name = self.word(open - 1).unwrap_or_default().to_owned();
        let help = format!(
            "write a function outside of the struct, which takes it: `{name}(T &self, …)`; values are made by `T x = {{…}};`"
        );
        self.say(0, close + 1, "a struct has no functions", help);
        let behind = (close + 1..close + 60).find(|&k| self.is(k, "{") || self.is(k, ";") || self.is(k, "}"));
        let end = match behind {
            Some(k) if self.is(k, "{") => self.partner(k).map_or(k, |end| end + 1),
            Some(k) if self.is(k, ";") => k + 1,
            Some(k) => k,
            None => close + 1,
        };
        self.skip(end);
        true
    }

    /// `int x = 1`, `...`, `a[][4]` among parameters, and pointers to functions.
    fn parameter(&mut self) -> bool {
        if self.is(0, "...") {
            let help = "write an overload for each number of parameters; `print` alone takes any";
            self.say(0, 1, "functions have a fixed number of parameters", help);
            if self.out.last().is_some_and(|token| token.kind == TokenKind::Symbol(",")) {
                self.out.pop();
            }
            self.skip(1);
            return true;
        }
        if self.is(0, "=") && self.previous_word().is_some() {
            let mut count = 1;
            while self.at + count < self.tokens.len() && ![",", ")"].iter().any(|end| self.is(count, end)) {
                count = self.partner(count).unwrap_or(count) + 1;
            }
            self.say(
                0,
                count,
                "parameters have no default values",
                "write an overload without the parameter that calls this one",
            );
            self.skip(count);
            return true;
        }
        let ends_bracket = self.out.last().is_some_and(|token| token.kind == TokenKind::Symbol("]"));
        if self.is(0, "[")
            && ends_bracket
            && let Some(close) = self.partner(0)
        {
            let help = "write the product, as in `float a[h * w]` with `a[y * w + x]`, or take a view, `float a[,]`";
            self.say(0, close + 1, "an array parameter has one dimension", help);
            self.skip(close + 1);
            return true;
        }
        self.is(0, "(") && self.is(1, "*") && self.pointer_to_function()
    }

    /// `int (*f)(int)` at the beginning of a declaration.
    fn function_pointer(&mut self) -> bool {
        let is_one = self.is(0, "(")
            && self.is(1, "*")
            && self.own_word(2).is_some()
            && self.partner(0) == Some(3)
            && self.is(4, "(")
            && self.previous_word().is_some_and(|word| crate::syntax::is_reserved(word) || self.own.contains(word));
        is_one && self.pointer_to_function()
    }

    fn pointer_to_function(&mut self) -> bool {
        let Some(close) = self.partner(0).filter(|&close| self.is(close + 1, "(")) else { return false };
        let Some(end) = self.partner(close + 1) else { return false };
        let name = self.own_word(2).unwrap_or(super::NOTHING).to_owned();
        self.say(0, end + 1, "there are no pointers to functions", INSTEAD_OF_POINTERS);
        self.put_name(&name);
        self.skip(end + 1);
        true
    }
}

const INSTEAD_OF_POINTERS: &str = "write a `switch` or a template, or call the functions by their names";

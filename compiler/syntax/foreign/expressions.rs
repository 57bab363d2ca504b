//! Statements and expressions.

use super::{Around, NOTHING, Walk};
use crate::diagnostics::Edit;
use crate::source::Span;
use crate::syntax::token::TokenKind;
use crate::syntax::words;

impl Walk<'_> {
    pub(super) fn statement(&mut self) -> bool {
        if self.around.last() == Some(&Around::For) && self.is(0, ",") && self.commas_of_for() {
            return true;
        }
        if self.around.last() != Some(&Around::Block) {
            return false;
        }
        let Some(word) = self.word(0).map(str::to_owned) else { return false };
        if !self.begins_statement() {
            return false;
        }
        match &*word {
            "goto" if self.own_word(1).is_some() && self.is(2, ";") => {
                self.has_goto = true;
                self.say(0, 2, "there is no `goto`", "write a loop, and leave it by `break` or `return`");
                self.skip(3);
                true
            }
            "launch" | "sync" if self.is(1, ";") || self.is(1, "[") || self.own_word(1).is_some() => {
                self.say(
                    0,
                    1,
                    format!("there is no `{word}`"),
                    "write `parallel foreach (int i = 0 .. n) …`, which waits for its rounds",
                );
                let count = self.to_semicolon();
                self.skip(count);
                true
            }
            "cif" | "cwhile" | "cfor" | "cdo" if self.is(1, "(") || self.is(1, "{") => {
                let plain = word[1..].to_owned();
                let edits = vec![Edit::replace(self.span(0, 1), plain.clone())];
                self.say_with(
                    0,
                    1,
                    format!("there is no `{word}`"),
                    format!("write `{plain}`: what no lane needs is not executed"),
                    edits,
                );
                self.put_name(&plain);
                self.skip(1);
                true
            }
            "for" if self.is(1, "(") => self.range_for(),
            "unmasked" if self.is(1, "{") => {
                let edits = vec![Edit::replace(self.span(0, 1), "scalar")];
                self.say_with(0, 1, "there is no `unmasked`", "write `scalar { … }`", edits);
                self.put_name("scalar");
                self.skip(1);
                true
            }
            "elif" if self.is(1, "(") => {
                self.say_with(0, 1, "there is no `elif`", "write `else if`", vec![Edit::replace(self.span(0, 1), "else if")]);
                self.put_name("else");
                self.put_name("if");
                self.skip(1);
                true
            }
            _ if self.is(2, "(") && self.own_word(1).is_some() && (self.own.contains(&*word) || words::is_element(&word)) => {
                self.brackets()
            }
            _ if self.is(2, "{") && self.own_word(1).is_some() && (self.own.contains(&*word) || words::is_element(&word)) => {
                self.brackets()
            }
            "foreach" | "foreach_tiled" if self.is(1, "(") => self.foreach(),
            "try" if self.is(1, "{") => {
                self.say(0, 1, "there are no exceptions", "return a number that says what happened, or `assert`");
                let end = self.partner(1).unwrap_or(1) + 1;
                let end = if self.word(end) == Some("catch") {
                    self.partner(end + 1).and_then(|p| self.partner(p + 1)).unwrap_or(end) + 1
                } else {
                    end
                };
                self.skip(end);
                true
            }
            "throw" => {
                self.say(0, 1, "there are no exceptions", "return a number that says what happened, or `assert`");
                let count = self.to_semicolon();
                self.skip(count);
                true
            }
            "delete" if self.is(1, "[") && self.is(2, "]") => {
                self.say_with(1, 2, "`delete` has no brackets", "write `delete p`", self.without(1, 2));
                self.keep(1);
                self.skip(2);
                true
            }
            _ if self.is(1, ":") && !self.is(2, ":") && !words::is_reserved(&word) && self.is_behind_statement() => {
                if !self.has_goto {
                    let message = format!("`{word}:` is no label: there is no `goto`");
                    self.say(0, 2, message, "write a loop, and leave it by `break` or `return`");
                }
                self.skip(2);
                true
            }
            _ => false,
        }
    }

    /// `P p(1, 2);`, `int x{3};`
    fn brackets(&mut self) -> bool {
        let Some(close) = self.partner(2).filter(|&close| self.is(close + 1, ";")) else { return false };
        let is_element = self.word(0).is_some_and(words::is_element);
        let (open_text, close_text) = if is_element { (" = ", "") } else { (" = {", "}") };
        let edits = vec![Edit::replace(self.span(2, 1), open_text), Edit::replace(self.span(close, 1), close_text)];
        let help = if is_element { "write `T x = value;`" } else { "write `T x = { … };`" };
        self.say_with(2, close - 1, "a variable takes its first value behind `=`", help, edits);
        self.keep(2);
        self.skip(close - 1);
        true
    }

    /// `i++, j--` in the head of a `for`, but not between the variables of a declaration.
    fn commas_of_for(&mut self) -> bool {
        let opened = self.out.iter().rposition(|t| t.kind.name() == Some("for")).unwrap_or(0);
        let head = &self.out[opened..];
        let depth_of = |symbol: &'static str| head.iter().filter(|t| t.kind == TokenKind::Symbol(symbol)).count();
        let clause = depth_of(";");
        let first = head.get(2).and_then(|t| t.kind.name());
        let is_declared = first.is_some_and(|word| words::is_reserved(word) || self.own.contains(word))
            || head.get(3).is_some_and(|t| t.kind.name().is_some());
        if clause == 0 && is_declared {
            return false;
        }
        let mut count = 1;
        while self.at + count < self.tokens.len() && ![";", ")"].iter().any(|end| self.is(count, end)) {
            count = self.partner(count).unwrap_or(count) + 1;
        }
        let help = match clause {
            0 => "write one of them in front of the loop",
            _ => "write one of them at the end of the body",
        };
        self.say(0, 1, "there is no comma operator", help);
        self.skip(count);
        true
    }

    /// `for (T x : a)`
    fn range_for(&mut self) -> bool {
        let Some(close) = self.partner(1) else { return false };
        let mut colon = 2;
        while colon < close && !self.is(colon, ":") && !self.is(colon, ";") && !self.is(colon, "?") {
            colon = self.partner(colon).unwrap_or(colon) + 1;
        }
        if !self.is(colon, ":") || colon >= close {
            return false;
        }
        self.say(
            0,
            close + 1,
            "`for` has no ranges",
            "write `for (int i = 0; i < n; ++i)`, or `foreach (int i = 0 .. n)`, and index",
        );
        self.put_name("if");
        self.put(TokenKind::Symbol("("));
        self.put_name(NOTHING);
        self.put(TokenKind::Symbol(")"));
        self.skip(close + 1);
        true
    }

    /// `foreach (i = 0 ... n)`
    fn foreach(&mut self) -> bool {
        let Some(close) = self.partner(1) else { return false };
        let is_tiled = self.word(0) == Some("foreach_tiled");
        let untyped = self.own_word(2).is_some() && self.is(3, "=");
        let dots = (2..close).any(|k| self.is(k, "..."));
        if !(is_tiled || untyped || dots) {
            return false;
        }
        let mut edits = Vec::new();
        for k in 2..close {
            if self.is(k, "...") {
                edits.push(Edit::replace(self.span(k, 1), ".."));
            }
            let begins = (k == 2 || self.is(k - 1, ",")) && self.own_word(k).is_some() && self.is(k + 1, "=");
            if begins {
                edits.push(Edit::before(self.span(k, 1), "int "));
            }
        }
        if is_tiled {
            edits.push(Edit::replace(self.span(0, 1), "foreach"));
        }
        self.say_with(0, close + 1, "a `foreach` of ispc", "write `foreach (int i = 0 .. n)`", edits);
        self.put_name("foreach");
        self.skip(1);
        self.around.push(Around::Brackets);
        self.keep(1);
        let end = self.at + close - 2;
        let mut begins = true;
        while self.at < end {
            if begins && self.own_word(0).is_some() && self.is(1, "=") {
                self.put_name("int");
            }
            begins = self.is(0, ",");
            if self.is(0, "...") {
                self.put(TokenKind::Symbol(".."));
                self.skip(1);
            } else if let Some(end) = self.partner(0) {
                self.keep(end + 1);
            } else {
                self.keep(1);
            }
        }
        self.around.pop();
        self.keep(1);
        true
    }

    pub(super) fn expression(&mut self) -> bool {
        self.designated()
            || self.comma_in_brackets()
            || self.aggregate()
            || self.lambda()
            || self.qualified()
            || self.word_of_expression()
            || self.block_as_name()
    }

    /// `{.x = 1}`
    fn designated(&mut self) -> bool {
        let is_one =
            self.around.last() == Some(&Around::Values) && self.is(0, ".") && self.own_word(1).is_some() && self.is(2, "=");
        if is_one {
            self.say_with(
                0,
                3,
                "values in `{ … }` have no names",
                "write the values in the order of the members",
                self.without(0, 3),
            );
            self.skip(3);
        }
        is_one
    }

    /// `= (a, b)`
    fn comma_in_brackets(&mut self) -> bool {
        let last = self.out.last().map(|token| &token.kind);
        let is_value = last == Some(&TokenKind::Symbol("=")) || last.and_then(TokenKind::name) == Some("return");
        let Some(close) = self.partner(0).filter(|_| is_value && self.is(0, "(")) else { return false };
        let mut at = 1;
        while at < close && !self.is(at, ",") {
            // A comma behind it may be one of a vector.
            if self.is(at, "<") {
                return false;
            }
            at = self.partner(at).unwrap_or(at) + 1;
        }
        if at >= close {
            return false;
        }
        self.say(at, 1, "there is no comma operator", "write two statements, `a; x = b;`");
        self.put_name(NOTHING);
        self.skip(close + 1);
        true
    }

    /// `(P){1, 2}`, `return {1, 2}`, `f({1, 2})`
    fn aggregate(&mut self) -> bool {
        let last = self.out.last().map(|token| &token.kind);
        let (skipped, from) = match last {
            Some(TokenKind::Name(word)) if &**word == "return" && self.is(0, "{") => (self.partner(0), 0),
            Some(TokenKind::Symbol("(" | ",")) if self.is(0, "{") && self.around.last() == Some(&Around::Brackets) => {
                (self.partner(0), 0)
            }
            Some(TokenKind::Name(word))
                if self.own.contains(&**word)
                    && self.is(0, "{")
                    && self.around.last() == Some(&Around::Block)
                    && self.is_value() =>
            {
                self.out.pop();
                (self.partner(0), 0)
            }
            _ if self.is(0, "(") && !self.is_behind_operand() => match self.partner(0) {
                Some(close)
                    if self.is(close + 1, "{")
                        && close <= 3
                        && self.word(1).is_some()
                        && !self.begins_statement()
                        && !self.is_head() =>
                {
                    (self.partner(close + 1), 0)
                }
                _ => return false,
            },
            _ => return false,
        };
        let Some(end) = skipped else { return false };
        self.say(
            from,
            end + 1,
            "`{ … }` makes the first value of a variable, and nothing else",
            "declare one, `T value = { … };`, and write `value` here",
        );
        self.put_name(NOTHING);
        self.skip(end + 1);
        true
    }

    /// Does the name that was just read stand where a value does?
    fn is_value(&self) -> bool {
        let before = self.out.len().checked_sub(2).map(|at| &self.out[at].kind);
        matches!(before, Some(TokenKind::Symbol("=" | "(" | "," | "+" | "-" | "*" | "/")))
            || before.and_then(TokenKind::name).is_some_and(|word| word == "return")
    }

    /// Is a bracket here that of `if`, `while` …?
    fn is_head(&self) -> bool {
        matches!(self.previous_word(), Some("if" | "while" | "for" | "switch" | "foreach" | "foreach_active" | "foreach_unique"))
    }

    /// `[&](int x) { … }`
    fn lambda(&mut self) -> bool {
        if !self.is(0, "[") || self.is_behind_operand() {
            return false;
        }
        let Some(close) = self.partner(0) else { return false };
        let is_capture = close == 1 || close == 2 && (self.is(1, "&") || self.is(1, "="));
        let Some(end) = self.partner(close + 1).filter(|_| is_capture && self.is(close + 1, "(")) else { return false };
        let Some(body) = self.partner(end + 1).filter(|_| self.is(end + 1, "{")) else { return false };
        self.say(
            0,
            end + 1,
            "there are no functions without a name",
            "write a function at the level of the file, and call it by its name",
        );
        self.put_name(NOTHING);
        self.skip(body + 1);
        true
    }

    /// `std::max`
    fn qualified(&mut self) -> bool {
        let is_one = self.own_word(0).is_some() && self.is(1, ":") && self.is(2, ":") && self.own_word(3).is_some();
        let adjacent = is_one && self.span(1, 1).end == self.span(2, 1).start;
        if adjacent {
            let name = self.word(3).unwrap_or_default().to_owned();
            self.say_with(0, 4, "names have no `::`", format!("write `{name}`"), self.without(0, 3));
            self.skip(3);
        }
        adjacent
    }

    /// `sizeof x`, `int(x)`, `programIndex`, `auto`
    fn word_of_expression(&mut self) -> bool {
        let Some(word) = self.word(0).map(str::to_owned) else { return false };
        if matches!(&*word, "sizeof") && self.own_word(1).is_some() {
            let operand = self.word(1).unwrap_or_default().to_owned();
            let edits = vec![Edit::replace(self.span(0, 2), format!("sizeof({operand})"))];
            self.say_with(0, 2, "`sizeof` has brackets", format!("write `sizeof({operand})`"), edits);
            self.keep(1);
            self.put(TokenKind::Symbol("("));
            self.keep(1);
            self.put(TokenKind::Symbol(")"));
            return true;
        }
        let is_element = words::is_element(&word);
        if is_element && self.is(1, "(") && !self.is(2, "*") && !self.begins_statement() && !self.is_behind_operand() {
            let is_call = !matches!(self.around.last(), None | Some(Around::Parameters | Around::Struct));
            if is_call && let Some(_close) = self.partner(1) {
                let edits = vec![Edit::replace(self.span(0, 1), format!("({word}) "))];
                self.say_with(0, 1, format!("`{word}(…)` is no call"), format!("write a cast: `({word}) (…)`"), edits);
                self.put(TokenKind::Symbol("("));
                self.keep(1);
                self.put(TokenKind::Symbol(")"));
                return true;
            }
        }
        if matches!(&*word, "static_cast" | "reinterpret_cast" | "const_cast" | "bit_cast") && self.is(1, "<") {
            let end = (2..8).find(|&k| self.is(k, ">"));
            if let Some(end) = end.filter(|&end| self.is(end + 1, "(")) {
                let edits = vec![Edit::replace(self.span(0, 2), "("), Edit::replace(self.span(end, 1), ") ")];
                self.say_with(0, end + 1, format!("there is no `{word}`"), "write a cast: `(T) (…)`", edits);
                self.put(TokenKind::Symbol("("));
                self.skip(2);
                self.keep(end - 2);
                self.put(TokenKind::Symbol(")"));
                self.skip(1);
                return true;
            }
        }
        if word == "new" {
            let mut end = 1;
            while self.word(end).is_some() || self.is(end, "*") {
                end += 1;
            }
            if end > 1 && !self.is(end, "[") && !self.is(end, "<") {
                let behind = self.partner(end).filter(|_| self.is(end, "(") || self.is(end, "{")).map_or(end, |close| close + 1);
                let edits = vec![Edit::replace(
                    Span { start: self.span(end - 1, 1).end, end: self.span(behind - 1, 1).end, ..self.span(0, 1) },
                    "[1]",
                )];
                self.say_with(0, behind, "`new` makes arrays", "write `new T[1]`", edits);
                self.keep(end);
                self.put(TokenKind::Symbol("["));
                self.put(TokenKind::Integer { value: 1, suffix: None });
                self.put(TokenKind::Symbol("]"));
                self.skip(behind - end);
                return true;
            }
        }
        let operator = match &*word {
            "and" => "&&",
            "or" => "||",
            _ => "",
        };
        if !operator.is_empty() && self.is_behind_operand() && !self.is(1, "(") && self.around.last() != Some(&Around::Parameters)
        {
            let message = format!("there is no `{word}`");
            self.say_with(0, 1, message, format!("write `{operator}`"), vec![Edit::replace(self.span(0, 1), operator)]);
            self.put(TokenKind::Symbol(operator));
            self.skip(1);
            return true;
        }
        if word == "soa" && self.is(1, "<") && !self.own.contains("soa") {
            let end = (2..6).find(|&k| self.is(k, ">"));
            if let Some(end) = end {
                self.say(
                    0,
                    end + 1,
                    "there is no `soa<…>`",
                    "write the length behind the type: `vec3 block[8] points[n]` is an array of blocks",
                );
                self.skip(end + 1);
                return true;
            }
        }
        false
    }

    /// `int block = 1;`
    fn block_as_name(&mut self) -> bool {
        // Where a variable was declared so, the same word behind it is that variable.
        let is_type = |token: &crate::syntax::token::Token| token.kind.name().is_some();
        if let Some(word) = self.word(0).filter(|word| self.renamed.contains(*word) && !self.out.last().is_some_and(is_type)) {
            let name = format!("({word})");
            self.put_name(&name);
            self.skip(1);
            return true;
        }
        let is_word = matches!(self.word(0), Some("block" | "scalar" | "varying" | "uniform"));
        let ends = ["=", ";", ",", ")"].iter().any(|end| self.is(1, end));
        let is_type = self.previous_word().is_some_and(|word| words::is_element(word) || self.own.contains(word));
        let is_declared = !matches!(self.around.last(), Some(Around::Brackets | Around::Values));
        // `f(int block)` may be a parameter without a name.
        let is_parameter = self.around.last() == Some(&Around::Parameters) && (self.is(1, ",") || self.is(1, ")"));
        let is_statement = self.around.last() == Some(&Around::Block) && self.is(1, ")");
        if !(is_word && ends && is_type && is_declared) || is_parameter || is_statement {
            return false;
        }
        let word = self.word(0).unwrap_or_default().to_owned();
        self.say(0, 1, format!("`{word}` is a keyword, and no name"), "give it another name");
        self.renamed.insert(word.as_str().into());
        self.put_name(&format!("({word})"));
        self.skip(1);
        true
    }
}

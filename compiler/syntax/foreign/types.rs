//! Words in front of declarations, and names of types.

use super::Walk;
use crate::diagnostics::Edit;
use crate::syntax::token::TokenKind;

impl Walk<'_> {
    /// `static inline`, `volatile`, `constexpr` … in front of a declaration.
    pub(super) fn word_in_front(&mut self) -> bool {
        let is_one = |walk: &Self, ahead| {
            let word = walk.word(ahead)?;
            let known = matches!(
                word,
                "static"
                    | "inline"
                    | "constexpr"
                    | "volatile"
                    | "register"
                    | "mutable"
                    | "thread_local"
                    | "virtual"
                    | "explicit"
                    | "unmasked"
                    | "task"
            );
            (known && !walk.own.contains(word) && (walk.word(ahead + 1).is_some())).then(|| word.to_owned())
        };
        let Some(word) = is_one(self, 0) else { return false };
        // Decided, repeated and asserted while compiling.
        let is_static = word == "static" && matches!(self.word(1), Some("if" | "for"));
        if is_static || word == "static" && self.word(1) == Some("assert") && self.is(2, "(") {
            return false;
        }
        if self.is_behind_operand() || word == "unmasked" && !self.begins_statement() {
            return false;
        }
        let mut count = 1;
        while is_one(self, count).is_some() {
            count += 1;
        }
        let is_constant = (0..count).any(|k| self.word(k) == Some("constexpr"));
        let help = match &*word {
            _ if is_constant => "write `const`",
            "static" if self.around.is_empty() => {
                "leave it out: a program is one whole, and nothing of it is seen from outside but `export`"
            }
            "static" => "declare it at the level of the file: a variable of a function lives for one call",
            "inline" => "leave it out: the compiler decides, and `[[noinline]]` keeps a function apart",
            "volatile" => "leave it out: what other threads change is read and changed by `atomic_add` and its like",
            "unmasked" => "write `scalar { … }`",
            "task" => "leave it out: `parallel foreach` runs the rounds of a loop on all processors",
            _ => "leave it out",
        };
        let mut edits = self.without(0, count);
        if is_constant && self.word(count) != Some("const") {
            edits[0].text = "const ".into();
        }
        let text: Vec<&str> = (0..count).filter_map(|k| self.word(k)).collect();
        self.say_with(0, count, format!("there is no `{}`", text.join(" ")), help, edits);
        if is_constant && self.word(count) != Some("const") {
            self.put_name("const");
        }
        self.skip(count);
        true
    }

    /// `struct P p`, `unsigned long n`, `auto x`
    pub(super) fn type_word(&mut self) -> bool {
        let Some(word) = self.word(0).map(str::to_owned) else { return false };
        match &*word {
            "struct" | "union" | "enum" if self.own_word(1).is_some() && !self.is(2, "{") && !self.is(2, ":") => {
                let name = self.word(1).unwrap_or_default().to_owned();
                if self.is(2, ";") && self.begins_statement() {
                    let message = format!("`{word} {name};` declares nothing");
                    self.say_with(0, 3, message, "leave it out: types may be used before they are defined", self.without(0, 3));
                    self.skip(3);
                    return true;
                }
                let message = format!("`{word}` stands where a type is defined, and not where it is used");
                self.say_with(0, 1, message, format!("write `{name}`"), self.without(0, 1));
                self.skip(1);
                true
            }
            "char" | "short" | "long" | "unsigned" | "signed" if !self.own.contains(&*word) => self.integer(),
            "auto" if self.own_word(1).is_some() || self.is(1, "&") || self.is(1, "*") => {
                self.say(0, 1, "there is no `auto`", "write the type, as in `float x = …`: it may be short of its length");
                let count = self.to_semicolon();
                self.skip(count);
                true
            }
            _ => false,
        }
    }

    /// `unsigned long`, `char`
    fn integer(&mut self) -> bool {
        let is_part = |word: &str| matches!(word, "char" | "short" | "long" | "unsigned" | "signed" | "int" | "double");
        let words: Vec<String> = (0..4)
            .map_while(|k| self.word(k).filter(|word| is_part(word) && !self.own.contains(*word)).map(str::to_owned))
            .collect();
        let behind = self.tokens.get(self.at + words.len()).map(|token| &token.kind);
        let declares = matches!(behind, Some(TokenKind::Name(_) | TokenKind::Symbol("*" | "&" | ")")));
        // A variable may have such a name.
        let is_name = words.len() == 1
            && (self.is_behind_operand() || self.previous_word().is_some_and(|word| word != "const") && !declares);
        if words.is_empty()
            || !declares
            || is_name
            || self.is_declared_name()
            || words.len() == 1 && behind == Some(&TokenKind::Symbol(")")) && !self.is_cast()
        {
            return false;
        }
        let has = |word: &str| words.iter().any(|w| w == word);
        let base = match () {
            () if has("double") => "double",
            () if has("char") => "int8",
            () if has("short") => "int16",
            () if has("long") => "int64",
            () => "int",
        };
        let name = if has("unsigned") && base != "double" { format!("u{base}") } else { base.to_owned() };
        let message = format!("there is no type `{}`", words.join(" "));
        let edits = vec![Edit::replace(self.span(0, words.len()), name.clone())];
        self.say_with(0, words.len(), message, format!("write `{name}`"), edits);
        self.put_name(&name);
        self.skip(words.len());
        true
    }

    /// Is this the name behind a type, as in `int short`?
    fn is_declared_name(&self) -> bool {
        self.previous_word().is_some_and(|word| {
            crate::syntax::is_reserved(word)
                && !matches!(word, "const" | "export" | "return" | "new" | "else" | "do" | "scalar" | "scratch")
        })
    }

    /// Is it the first word of brackets with an operand behind them?
    fn is_cast(&self) -> bool {
        let opened = self.out.last().is_some_and(|token| token.kind == TokenKind::Symbol("("));
        opened
            && (self.word(2).is_some()
                || self.is(2, "(")
                || matches!(
                    self.tokens.get(self.at + 2).map(|t| &t.kind),
                    Some(TokenKind::Integer { .. } | TokenKind::Float { .. })
                ))
    }
}

//! Text to tokens.
//!
//! Comments and white space vanish, `///` lines stay for the item that they document. Whatever is not a word is reported
//! and skipped, so that the parser sees the rest.

use super::token::{SYMBOLS, Token, TokenKind};
use crate::diagnostics::{Diagnostic, Diagnostics, Edit, codes};
use crate::source::{FileId, Span};
use crate::types::Element;

/// The tokens of a text, closed by [`TokenKind::End`].
pub fn lex(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    lex_from(file, text, Tensors::Outside, diagnostics)
}

/// The tokens of a file that holds comprehensions of tensors only: `#` begins a comment.
pub fn lex_tensors(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    lex_from(file, text, Tensors::Only, diagnostics)
}

fn lex_from(file: FileId, text: &str, tensors: Tensors, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { file, text, at: 0, tokens: Vec::new(), depth: 0, tensors, diagnostics };
    while lexer.at < text.len() {
        lexer.word();
    }
    lexer.push(text.len(), TokenKind::End);
    lexer.tokens
}

/// Where the lexer is, as comments that begin with `#` see it: these stand between the braces of a `def` only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tensors {
    /// Outside of all of them.
    Outside,
    /// Behind the word `def`, in front of the braces.
    Head,
    /// Between the braces.
    Inside,
    /// In a file that holds nothing else.
    Only,
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    /// How many braces are open.
    depth: usize,
    tensors: Tensors,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    fn push(&mut self, start: usize, kind: TokenKind) {
        let span = self.span(start);
        self.notice(&kind);
        self.tokens.push(Token { kind, span });
    }

    /// Follows the braces.
    fn notice(&mut self, kind: &TokenKind) {
        let is_outer = self.depth == 0;
        match kind {
            TokenKind::Symbol("{") => self.depth += 1,
            TokenKind::Symbol("}") => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.tensors = match (self.tensors, kind) {
            (Tensors::Outside, TokenKind::Name(name)) if is_outer && &**name == "def" => Tensors::Head,
            (Tensors::Head, TokenKind::Symbol("{")) => Tensors::Inside,
            (Tensors::Head, TokenKind::Symbol(";")) => Tensors::Outside,
            (Tensors::Inside, TokenKind::Symbol("}")) if self.depth == 0 => Tensors::Outside,
            (tensors, _) => tensors,
        };
    }

    fn skip_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.find(|c| !holds(c)).unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn word(&mut self) {
        let start = self.at;
        let Some(first) = self.peek() else { return };
        if first.is_whitespace() {
            self.skip_while(char::is_whitespace);
        } else if self.rest().starts_with("//") {
            let line = self.skip_while(|c| c != '\n');
            if let Some(doc) = line.strip_prefix("///").filter(|doc| !doc.starts_with('/')) {
                let doc = doc.strip_prefix(' ').unwrap_or(doc).trim_end().to_owned();
                self.push(start, TokenKind::Doc(doc));
            }
        } else if self.rest().starts_with("/*") {
            match self.rest().find("*/") {
                Some(end) => self.at += end + 2,
                None => {
                    self.at = start + 2;
                    let span = self.span(start);
                    let error = Diagnostic::error(&codes::UNTERMINATED_COMMENT, span, "this comment is never closed");
                    let line = self.text[start..].find('\n').map_or(self.text.len(), |end| start + end);
                    let end = start + self.text[start..line].trim_end().len();
                    let edit = Edit::replace(Span::new(self.file, end, end), " */");
                    self.diagnostics.push(error.with_fix("close it with `*/`", vec![edit]));
                    self.at = self.text.len();
                }
            }
        } else if first.is_ascii_alphabetic() || first == '_' {
            let name = self.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
            self.push(start, TokenKind::Name(name.into()));
        } else if first.is_ascii_digit() || (first == '.' && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit())) {
            self.number();
        } else if first == '"' {
            self.string();
        } else if first == '#' && matches!(self.tensors, Tensors::Inside | Tensors::Only) {
            self.skip_while(|c| c != '\n');
        } else if first == '#' && self.text[..start].rsplit('\n').next().is_none_or(|before| before.trim().is_empty()) {
            self.preprocessor_line();
        } else if first == '\'' {
            self.character();
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
            self.at += symbol.len();
            self.push(start, TokenKind::Symbol(symbol));
        } else {
            self.at += first.len_utf8();
            let span = self.span(start);
            let message = format!("`{}` does not belong to the language", first.escape_debug());
            self.diagnostics.push(Diagnostic::error(&codes::UNKNOWN_CHARACTER, span, message));
        }
    }

    /// `#include …`, with the lines that it goes on in.
    fn preprocessor_line(&mut self) {
        let start = self.at;
        let line = self.skip_while(|c| c != '\n');
        let mut last = line.trim_end();
        while last.ends_with('\\') && self.at < self.text.len() {
            self.at += 1;
            last = self.skip_while(|c| c != '\n').trim_end();
        }
        let span = Span::new(self.file, start, start + line.trim_end().len());
        let word = line[1..].trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let help = match word {
            "include" => "write `import \"file.ivl\";` for a file of the language; C functions are declared by `extern \"C\"`",
            "define" => "write `const int N = 4;` for a number, and a function for what takes arguments",
            "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif" => {
                "leave it out: a condition on constants is an `if`, which costs nothing"
            }
            _ => "leave it out",
        };
        let error = Diagnostic::error(&codes::FOREIGN_CONSTRUCT, span, format!("there is no preprocessor: `#{word}`"));
        self.diagnostics.push(error.with_help(help));
    }

    fn bad_literal(&mut self, start: usize, message: impl Into<String>) {
        let span = self.span(start);
        self.diagnostics.push(Diagnostic::error(&codes::BAD_LITERAL, span, message));
    }

    fn number(&mut self) {
        let start = self.at;
        let radix = match self.rest().get(..2) {
            Some("0x" | "0X") => 16,
            Some("0b" | "0B") => 2,
            Some(_) | None => 10,
        };
        if radix != 10 {
            self.at += 2;
            let digits = self.skip_while(|c| c.is_digit(radix));
            if let Some(plain) = self.separated(start, radix) {
                return self.integer(start, plain.get(2..).unwrap_or_default(), radix);
            }
            if radix == 16 && self.rest().starts_with(['.', 'p', 'P']) && !self.rest().starts_with("..") {
                self.skip_while(|c| c.is_ascii_alphanumeric() || c == '.');
                if self.text[..self.at].ends_with(['p', 'P']) && self.rest().starts_with(['+', '-']) {
                    self.at += 1;
                    self.skip_while(|c| c.is_ascii_alphanumeric());
                }
                self.foreign(
                    start,
                    "there are no hexadecimal floating-point numbers",
                    "write it with decimal digits: they are read exactly",
                );
                return self.push(start, TokenKind::Float { text: "0".into(), suffix: None });
            }
            return self.integer(start, digits, radix);
        }
        let digits = self.skip_while(|c| c.is_ascii_digit());
        if let Some(plain) = self.separated(start, radix) {
            return self.integer(start, &plain, radix);
        }
        let is_octal = digits.len() > 1 && digits.starts_with('0');
        let mut is_float = false;
        // `0 .. n` and `0..n` are ranges, `1.` is a number.
        if self.rest().starts_with('.') && !self.rest().starts_with("..") {
            is_float = true;
            self.at += 1;
            self.skip_while(|c| c.is_ascii_digit());
        }
        if self.rest().starts_with(['e', 'E']) {
            let sign = usize::from(self.rest()[1..].starts_with(['+', '-']));
            if self.rest()[1 + sign..].starts_with(|c: char| c.is_ascii_digit()) {
                is_float = true;
                self.at += 1 + sign;
                self.skip_while(|c| c.is_ascii_digit());
            } else if !self.rest()[1..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                self.at += 1 + sign;
                self.bad_literal(start, "the exponent has no digits");
                return self.push(start, TokenKind::Float { text: "0".into(), suffix: None });
            }
        }
        let text = &self.text[start..self.at];
        if !is_float && !self.rest().starts_with(['f', 'F']) {
            if is_octal {
                let number = digits.trim_start_matches('0');
                let meant = if number.is_empty() { "0" } else { number };
                self.bad_literal(start, format!("there are no octal numbers: write `{meant}`, or `0x…`, or `0b…`"));
            }
            return self.integer(start, digits, 10);
        }
        let suffix = match self.skip_while(|c| c.is_ascii_alphanumeric() || c == '_') {
            "" => None,
            "f" | "F" => Some(Element::Float),
            "d" | "D" => Some(Element::Double),
            other => {
                let message = format!("a floating-point number has no suffix `{other}`: there are `f` and `d`");
                self.bad_literal(start, message);
                None
            }
        };
        self.push(start, TokenKind::Float { text: text.into(), suffix });
    }

    fn foreign(&mut self, start: usize, message: &str, help: &str) {
        let span = self.span(start);
        self.diagnostics.push(Diagnostic::error(&codes::FOREIGN_CONSTRUCT, span, message).with_help(help));
    }

    /// The digits of `1'000` and `1_000`, where there are such signs in front of digits.
    fn separated(&mut self, start: usize, radix: u32) -> Option<String> {
        let goes_on = |rest: &str| {
            let mut characters = rest.chars();
            matches!(characters.next(), Some('\'' | '_')) && characters.next().is_some_and(|c| c.is_digit(radix))
        };
        if !goes_on(self.rest()) {
            return None;
        }
        while goes_on(self.rest()) {
            self.at += 1;
            self.skip_while(|c| c.is_digit(radix));
        }
        let span = self.span(start);
        let plain: String = self.text[start..self.at].chars().filter(|c| !matches!(c, '\'' | '_')).collect();
        let error = Diagnostic::error(&codes::FOREIGN_CONSTRUCT, span, "digits are not separated");
        self.diagnostics.push(error.with_fix(format!("write `{plain}`"), vec![Edit::replace(span, plain.clone())]));
        Some(plain)
    }

    fn integer(&mut self, start: usize, digits: &str, radix: u32) {
        let suffix = self.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let value = u64::from_str_radix(digits, radix).unwrap_or_else(|_| {
            let message = if digits.is_empty() { "digits are missing" } else { "this number is above 2^64 − 1" };
            self.bad_literal(start, message);
            0
        });
        let suffix = match suffix.to_ascii_lowercase().as_str() {
            "" => None,
            "u" => Some(Element::Uint32),
            "l" | "ll" => Some(Element::Int64),
            "ul" | "lu" | "ull" => Some(Element::Uint64),
            _ => {
                let message = format!("an integer has no suffix `{suffix}`: there are `u`, `l` and `ul`");
                self.bad_literal(start, message);
                None
            }
        };
        self.push(start, TokenKind::Integer { value, suffix });
    }

    /// One character of a literal; `None` at its end (`quote`) or where the line ends.
    fn literal_character(&mut self, quote: char) -> Option<char> {
        let start = self.at;
        let c = self.peek().filter(|&c| c != quote && c != '\n')?;
        self.at += c.len_utf8();
        if c != '\\' {
            return Some(c);
        }
        let escape = self.peek().filter(|&c| c != '\n')?;
        self.at += escape.len_utf8();
        Some(match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            '\\' | '\'' | '"' => escape,
            'x' => {
                let digits: String = self.rest().chars().take(2).take_while(char::is_ascii_hexdigit).collect();
                self.at += digits.len();
                if digits.is_empty() {
                    self.bad_literal(start, "`\\x` takes one or two hexadecimal digits");
                }
                u8::from_str_radix(&digits, 16).map_or('\u{fffd}', char::from)
            }
            _ => {
                self.bad_literal(start, format!("there is no escape `\\{}`", escape.escape_debug()));
                escape
            }
        })
    }

    fn close(&mut self, start: usize, quote: char) {
        if self.rest().starts_with(quote) {
            self.at += 1;
        } else {
            self.bad_literal(start, format!("this literal is not closed with `{quote}` on its line"));
        }
    }

    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        let mut value = String::new();
        while let Some(c) = self.literal_character('"') {
            value.push(c);
        }
        if !self.rest().starts_with('"') {
            // What ends the statement is no part of the string that was not closed.
            let text = &self.text[start + 1..self.at];
            let kept = text.trim_end().trim_end_matches([')', ';', '}', ' ']).len();
            value = text[..kept].to_owned();
            self.at = start + 1 + kept;
        }
        self.close(start, '"');
        self.push(start, TokenKind::String(value));
    }

    fn character(&mut self) {
        let start = self.at;
        self.at += 1;
        let value = self.literal_character('\'');
        if value.is_none() {
            self.bad_literal(start, "a character is missing between the quotes");
        }
        let line = self.rest().split('\n').next().unwrap_or_default();
        match line.find('\'').filter(|&at| at > 0 && value.is_some() && !line[..at].contains(['"', ';'])) {
            Some(at) => {
                self.at += at + 1;
                self.bad_literal(start, "one character stands between the quotes, and strings in double quotes");
            }
            None => self.close(start, '\''),
        }
        self.push(start, TokenKind::Character(value.map_or(0, u32::from)));
    }
}

//! What of a source file is code: no comments, no literals, no tests.

/// The text with blanks in the places of comments, literals, and what is there for tests only; every byte stays where it is.
pub fn of(text: &str) -> String {
    without_tests(&without_words(text))
}

/// The byte behind the bracket that closes the one at `open`.
pub fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, c) in code.bytes().enumerate().skip(open) {
        match c {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// The first byte behind `from`, outside of brackets, at which `is_it` holds for the rest of the code.
pub fn outside(code: &str, from: usize, is_it: impl Fn(&str) -> bool) -> usize {
    let mut at = from;
    while at < code.len() && !is_it(&code[at..]) {
        at = if matches!(code.as_bytes()[at], b'(' | b'[' | b'{') { closing(code, at) } else { at + 1 };
    }
    at
}

fn without_words(text: &str) -> String {
    let (bytes, mut at) = (text.as_bytes(), 0);
    let mut made = Vec::with_capacity(bytes.len());
    while at < bytes.len() {
        let end = at + word(&text[at..]);
        if end == at {
            made.push(bytes[at]);
            at += 1;
        } else {
            made.extend(bytes[at..end].iter().map(|c| if *c == b'\n' { b'\n' } else { b' ' }));
            at = end;
        }
    }
    String::from_utf8(made).expect("what is not ASCII stands in words")
}

/// The length of the comment or literal that a text begins with; 0 if there is none.
fn word(text: &str) -> usize {
    let behind = |from: usize, end: &str| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    if text.starts_with("//") {
        return behind(0, "\n") - 1;
    }
    for (start, end) in [("r\"", "\""), ("r#\"", "\"#"), ("r##\"", "\"##")] {
        if text.starts_with(start) {
            return behind(start.len(), end);
        }
    }
    let quote = if text.starts_with('"') { '"' } else { '\'' };
    let Some(rest) = text.strip_prefix(quote) else { return 0 };
    let mut chars = rest.char_indices().peekable();
    // A lifetime has no second quote.
    let is_lifetime = |rest: &str| !rest.starts_with('\\') && rest.chars().nth(1) != Some('\'');
    if quote == '\'' && is_lifetime(rest) {
        return 0;
    }
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return at + 2;
        }
    }
    text.len()
}

fn without_tests(code: &str) -> String {
    let mut made = code.to_owned();
    while let Some(start) = made.find("#[cfg(test)]") {
        let behind = start + "#[cfg(test)]".len();
        let is_import = made[behind..].trim_start().starts_with("use ");
        let end = outside(&made, behind, |rest| rest.starts_with(';') || (!is_import && rest.starts_with('{')));
        let end = if made[end..].starts_with('{') { closing(&made, end) } else { (end + 1).min(made.len()) };
        let blank: String = made[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        made.replace_range(start..end, &blank);
    }
    made
}

#[test]
fn words_and_tests_are_blank() {
    let text = "a('\"', \"}\", r#\"\"#, 'b'); // {\nfn f<'a>() {}\n#[cfg(test)]\nmod tests {\n    x\n}\nc";
    let found: Vec<String> = of(text).lines().map(|line| line.trim_end().to_owned()).collect();
    assert_eq!(found, ["a(   ,    ,      ,    );", "fn f<'a>() {}", "", "", "", "", "c"]);
}

//! Lines of source text: no longer than [`WIDTH`], and without the definitions that no other line uses.
//!
//! ```text
//! int a = …;                 nobody uses b           int a = …;
//! int b = a + 1;      ──►                     ──►    f(x) = a +
//! f(x) = a + …;              too long                        …;
//! ```

/// No line has more characters.
pub const WIDTH: usize = 132;

/// What a line defines, for those that use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Definition(usize);

struct Line {
    depth: usize,
    text: String,
    defines: Option<Definition>,
    uses: Vec<Definition>,
}

/// Lines as they are made.
#[derive(Default)]
pub struct Lines {
    lines: Vec<Line>,
    /// How many definitions there are.
    count: usize,
    /// Those that the line uses which is made now.
    uses: Vec<Definition>,
    /// How many blocks are open.
    depth: usize,
}

impl Lines {
    /// A new definition, whose line comes next.
    pub fn define(&mut self) -> Definition {
        self.count += 1;
        Definition(self.count - 1)
    }

    /// The next line uses a definition.
    pub fn uses(&mut self, definition: Definition) {
        self.uses.push(definition);
    }

    /// A line.
    pub fn push(&mut self, text: String) {
        self.line(text, None);
    }

    /// The line of a definition, which is left out where nothing uses it.
    pub fn push_definition(&mut self, text: String, definition: Definition) {
        self.line(text, Some(definition));
    }

    fn line(&mut self, text: String, defines: Option<Definition>) {
        let uses = std::mem::take(&mut self.uses);
        self.lines.push(Line { depth: self.depth, text, defines, uses });
    }

    /// A line that ends with `{`: what follows is one step further in.
    pub fn open(&mut self, text: String) {
        self.push(text);
        self.depth += 1;
    }

    /// What follows is one step further in, behind a line that closed a block and opened one.
    pub fn reopen(&mut self) {
        self.depth += 1;
    }

    /// The end of a block.
    pub fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.push(text.to_owned());
    }

    /// All lines as text.
    pub fn finish(self) -> String {
        let mut is_used = vec![false; self.count];
        let mut kept: Vec<&Line> = Vec::new();
        for line in self.lines.iter().rev() {
            if line.defines.is_some_and(|own| !is_used[own.0]) {
                continue;
            }
            line.uses.iter().for_each(|used| is_used[used.0] = true);
            kept.push(line);
        }
        let mut text = String::new();
        for line in kept.into_iter().rev() {
            wrap(&mut text, line.depth, &line.text);
        }
        text
    }
}

/// Writes a line, and what does not fit into it further in on the next ones: behind a comma, if one is near, else behind any word.
/// Texts in quotes are continued in quotes.
fn wrap(out: &mut String, depth: usize, text: &str) {
    let indent = "    ".repeat(depth);
    let (mut rest, mut begin) = (text.to_owned(), indent.clone());
    loop {
        // Room for a space and a quotation mark.
        let room = WIDTH.saturating_sub(begin.len() + 2);
        let places = places(&rest);
        let count = places.iter().take_while(|(at, _)| rest[..*at].trim_end().len() <= room).count();
        let mut fits = places[..count].to_vec();
        // `max(max(max(`
        let bracket = rest.char_indices().take_while(|(at, _)| *at < room).filter(|(_, c)| *c == '(').last();
        if let (true, Some((at, _))) = (fits.is_empty(), bracket) {
            fits.push((at + 1, false));
        }
        if rest.len() <= room || fits.is_empty() {
            out.push_str(&begin);
            out.push_str(rest.trim_end());
            out.push('\n');
            return;
        }
        let comma = fits.iter().rev().find(|(at, is_quoted)| !is_quoted && rest[..*at].ends_with(", ") && *at > room / 2);
        let &(at, is_quoted) = comma.unwrap_or(&fits[fits.len() - 1]);
        out.push_str(&begin);
        out.push_str(if is_quoted { &rest[..at] } else { rest[..at].trim_end() });
        out.push_str(if is_quoted { "\"\n" } else { "\n" });
        begin = format!("{indent}        ");
        rest = format!("{}{}", if is_quoted { "\"" } else { "" }, &rest[at..]);
    }
}

/// Behind which spaces a text may go on in the next line, and whether they stand in quotes. A conversion stays with its operand.
fn places(text: &str) -> Vec<(usize, bool)> {
    let (mut at, mut is_quoted) = (0, false);
    let mut places = Vec::new();
    for word in text.split_inclusive(' ') {
        at += word.len();
        is_quoted ^= quotes(word) % 2 == 1;
        let is_conversion = !is_quoted
            && word.trim_end().ends_with(')')
            && word.trim_start_matches('(').len() + 1 >= word.len()
            && word.starts_with('(');
        if !is_conversion {
            places.push((at, is_quoted));
        }
    }
    places.pop();
    places
}

/// How many quotation marks there are that begin or end a text.
fn quotes(word: &str) -> usize {
    let mut count = 0;
    let mut characters = word.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => _ = characters.next(),
            '"' => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_that_nothing_uses_are_left_out() {
        let mut lines = Lines::default();
        let [a, b, c] = [(), (), ()].map(|()| lines.define());
        lines.push_definition("int a = 1;".into(), a);
        lines.uses(a);
        lines.push_definition("int b = a;".into(), b);
        lines.uses(a);
        lines.push_definition("int c = a;".into(), c);
        lines.uses(b);
        lines.push("f(b);".into());
        assert_eq!(lines.finish(), "int a = 1;\nint b = a;\nf(b);\n");
    }

    #[test]
    fn long_lines_go_on_further_in() {
        let words = "word ".repeat(40);
        for text in [format!("require(x, \"{words}\", y);"), format!("f({words});"), format!("s(\"a \\\" {words}\");")] {
            let mut lines = Lines::default();
            lines.open("{".into());
            lines.push(text.clone());
            lines.close("}");
            let made = lines.finish();
            assert!(made.lines().all(|line| line.len() <= WIDTH), "{made}");
            let joined: String = made.lines().map(str::trim_start).collect::<Vec<_>>().join("\n");
            let joined = joined.replace(" \"\n\"", " ").replace('\n', " ");
            assert_eq!(joined.trim(), format!("{{ {text} }}"));
        }
    }
}

//! What is left of `printf` in a format: letters and numbers behind `%`, which are printed as they are.

/// The format without them, with braces where it says more than the type does, and the first of them; `None` if there is none.
///
/// ```text
/// "%d of %.2f"   →   "% of %{.2}", "%d"        "%x%", "% d", "%ms" are left alone
/// ```
pub(super) fn without_letters(format: &str) -> Option<(String, String)> {
    let mut plain = String::new();
    let mut first = None;
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        plain += &rest[..=at];
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            plain.push('%');
            rest = behind;
        } else if let Some(length) = conversion(rest) {
            first.get_or_insert_with(|| format!("%{}", &rest[..length]));
            plain += &braces(&rest[..length]);
            rest = &rest[length..];
        }
    }
    plain += rest;
    first.map(|first| (plain, first))
}

/// How long the conversion of `printf` is that the text begins with: `d`, `5d`, `.2f`, `lld`.
fn conversion(text: &str) -> Option<usize> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut at = usize::from(text.starts_with('-'));
    at += digits(&text[at..]);
    if text[at..].starts_with('.') {
        at += 1 + digits(&text[at + 1..]);
    }
    at += ["hh", "h", "ll", "l", "z"].iter().find(|size| text[at..].starts_with(**size)).map_or(0, |size| size.len());
    let letter = text[at..].chars().next().filter(|c| "diouxXfFeEgGaAcsp".contains(*c))?;
    let next = text[at + 1..].chars().next();
    // `%x%` are two numbers with a cross between them.
    let is_prose = next.is_some_and(|c| c.is_alphanumeric() || c == '_') || letter == 'x' && next == Some('%');
    (!is_prose).then_some(at + 1)
}

/// What says the same as a conversion of `printf` by width, digits and base.
fn braces(conversion: &str) -> String {
    let (numbers, sizes) = conversion.split_at(conversion.trim_end_matches(char::is_alphabetic).len());
    let (width, digits) = numbers.split_once('.').map_or((numbers, None), |(width, digits)| (width, Some(digits)));
    let mut text = if width.starts_with('-') { String::new() } else { width.trim_start_matches('0').to_owned() };
    match sizes.chars().last() {
        Some('x' | 'X') => text.push('x'),
        Some('f' | 'F') => text.extend(digits.map(|digits| format!(".{}", if digits.is_empty() { "0" } else { digits }))),
        _ => {}
    }
    if text.is_empty() { text } else { format!("{{{text}}}") }
}

/// A string as a program has it.
pub(super) fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => literal += "\\n",
            '\t' => literal += "\\t",
            '\r' => literal += "\\r",
            '\0' => literal += "\\0",
            '"' | '\\' => literal.extend(['\\', c]),
            c if (c as u32) < 32 => literal += &format!("\\x{:02x}", c as u32),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_printf_are_found_and_words_are_not() {
        let plain = |format: &str| without_letters(format).map(|(plain, first)| format!("{plain} {first}"));
        assert_eq!(plain("%d\n"), Some("%\n %d".into()));
        assert_eq!(plain("%%d %.2f, %5d %lld"), Some("%%d %{.2}, %{5} % %.2f".into()));
        assert_eq!(plain("%08x %-4d %+f %3.1f"), Some("%{8x} % %+f %{3.1} %08x".into()));
        for format in ["%", "%%", "%%d", "% d", "%ms", "%px", "%x%", "%, %", "%.", "%5", "100%% %", "%é"] {
            assert_eq!(plain(format), None, "{format}");
        }
    }

    #[test]
    fn strings_are_quoted_as_they_are_read() {
        assert_eq!(quoted("a\"b\\\n\x01é"), "\"a\\\"b\\\\\\n\\x01é\"");
    }
}

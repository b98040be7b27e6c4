//! What the terminal can show: its width, colour, and text without control characters.

use std::io::IsTerminal;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The widest that tables and paragraphs get.
const WIDEST: usize = 100;
/// The narrowest that they are laid out for.
const NARROWEST: usize = 20;

/// The width to lay text out for: `COLUMNS`, else the terminal's, else 80.
pub fn width() -> usize {
    let set = std::env::var("COLUMNS").ok().and_then(|c| c.parse::<usize>().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    set.filter(|&c| c > 0).or_else(measured).unwrap_or(80).clamp(NARROWEST, WIDEST)
}

/// Whether standard error takes colours: a terminal, and `NO_COLOR` is not set.
pub fn colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    !refused && !dumb && std::io::stderr().is_terminal()
}

/// `text` in the colour of SGR code `code`, if colours are wanted.
pub fn paint(text: &str, code: &str, colour: bool) -> String {
    if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
}

/// `text` with control characters, and those that reorder text, escaped.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || reorders(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// `text`, cleaned and cut to `most` columns of the terminal, an ellipsis last if it was longer.
pub fn fit(text: &str, most: usize) -> String {
    let text = clean(text);
    if text.width() <= most {
        return text;
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > most {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// `text` broken into lines of at most `width` columns at spaces; a longer word stays whole.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(word.to_string());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Characters that reorder the text around them, or hide.
fn reorders(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(clean("red\u{1b}[31m\u{202e}x"), "red\\u{1b}[31m\\u{202e}x");
    }

    #[test]
    fn long_text_is_cut_by_width_not_by_characters() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcde…");
        assert_eq!(fit("木木木木", 5), "木木…");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(wrap("", 6), [""]);
    }
}

//! Lines on standard error: what was read, notes, warnings, what was done.

use std::io::Write as _;

use crate::terminal::{clean, colour, paint, width, wrap};

/// A plain line.
pub fn line(text: &str) {
    for line in wrap(&clean(text), width()) {
        put(&line);
    }
}

/// Text that is laid out already.
pub fn block(text: &str) {
    text.lines().for_each(put);
}

/// Something the program noticed and dealt with.
pub fn note(text: &str) {
    marked("note:", "1;36", text);
}

/// Something the user should look at.
pub fn warning(text: &str) {
    marked("warning:", "1;33", text);
}

/// What to do next.
pub fn hint(text: &str) {
    marked("next:", "1;32", text);
}

fn marked(mark: &str, code: &str, text: &str) {
    let indent = mark.len();
    let room = width().saturating_sub(indent + 1).max(20);
    for (i, line) in wrap(&clean(text), room).iter().enumerate() {
        match i {
            0 => put(&format!("{} {line}", paint(mark, code, colour()))),
            _ => put(&format!("{:indent$} {line}", "")),
        }
    }
}

/// One line on standard error. If nobody reads it, the work goes on.
fn put(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// `n` with a comma at each thousand, and the word in the right number.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

/// `n` with a comma at each thousand.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_have_commas() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(999), "999");
        assert_eq!(count(1, "row", "rows"), "1 row");
        assert_eq!(count(1000, "row", "rows"), "1,000 rows");
    }
}

//! A histogram in one line: how often values fall where.

use super::curve::bars;
use super::words::number;

/// A line of bars between the smallest and the largest of `what`, in at most `width` columns; nothing
/// where there is no spread or no room.
pub fn histogram(what: &str, values: &[f64], width: usize) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (before, after) = (format!("{what} from {}", number(low)), format!("to {}", number(high)));
    let room = width.saturating_sub(before.len() + after.len() + 2).min(50);
    let spread = high - low;
    if spread.is_nan() || spread <= 0.0 || spread.is_infinite() || room < 5 {
        return String::new();
    }
    let mut heights = vec![0.0; room];
    for x in values {
        let at = ((x - low) / spread * room as f64) as usize;
        heights[at.min(room - 1)] += 1.0;
    }
    format!("\n{before} {} {after}\n", bars(&heights, room))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_values_are_many() {
        let values = [0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 4.0, 5.0];
        assert_eq!(histogram("days", &values, 22), "\ndays from 0 ▃█▅▁▅ to 5\n");
        assert_eq!(histogram("days", &values, 21), "");
        assert_eq!(histogram("days", &[3.0, 3.0], 80), "");
        assert_eq!(histogram("days", &[], 80), "");
        assert!(histogram("days", &values, 100).trim().chars().count() <= 67);
    }
}

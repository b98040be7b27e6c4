//! How many features a node chooses from, and which.

use crate::error::Result;
use crate::parameter::{Value, out_of_range};

/// How many features a node chooses from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FeatureCount {
    /// As the method thinks best: a forest takes the square root for classes and half of them
    /// for numbers, a single tree all.
    Auto,
    /// Every feature.
    All,
    /// The square root of their number, rounded down.
    Sqrt,
    /// The binary logarithm of their number, rounded down.
    Log2,
    /// One more than that, as in Breiman's paper.
    Log2PlusOne,
    /// A third of them, rounded down.
    Third,
    /// So many.
    Count(usize),
    /// This share of them, rounded down.
    Share(f64),
}

impl FeatureCount {
    /// The number of features out of `n`: at least 1, at most `n`.
    pub fn of(self, n: usize) -> usize {
        let count = match self {
            FeatureCount::Auto | FeatureCount::All => n,
            FeatureCount::Sqrt => n.isqrt(),
            FeatureCount::Log2 => n.max(1).ilog2() as usize,
            FeatureCount::Log2PlusOne => n.max(1).ilog2() as usize + 1,
            FeatureCount::Third => n / 3,
            FeatureCount::Count(count) => count,
            FeatureCount::Share(share) => (share * n as f64) as usize,
        };
        count.clamp(1, n.max(1))
    }

    /// Whether the value is in range.
    pub fn check(self) -> Result<()> {
        match self {
            FeatureCount::Count(0) => out_of_range("max_features", 0, "at least 1"),
            FeatureCount::Share(s) if !(s > 0.0 && s <= 1.0) => {
                out_of_range("max_features", s, "a share above 0 and at most 1")
            }
            _ => Ok(()),
        }
    }
}

impl Value for FeatureCount {
    fn show(&self) -> String {
        match self {
            FeatureCount::Auto => "auto".into(),
            FeatureCount::All => "all".into(),
            FeatureCount::Sqrt => "sqrt".into(),
            FeatureCount::Log2 => "log2".into(),
            FeatureCount::Log2PlusOne => "log2+1".into(),
            FeatureCount::Third => "third".into(),
            FeatureCount::Count(count) => count.to_string(),
            FeatureCount::Share(share) => format!("{share:?}"),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        *self = match text {
            "auto" => FeatureCount::Auto,
            "all" => FeatureCount::All,
            "sqrt" => FeatureCount::Sqrt,
            "log2" => FeatureCount::Log2,
            "log2+1" => FeatureCount::Log2PlusOne,
            "third" => FeatureCount::Third,
            number => match (number.parse(), number.parse()) {
                (Ok(count), _) => FeatureCount::Count(count),
                (_, Ok(share)) => FeatureCount::Share(share),
                _ => return false,
            },
        };
        true
    }

    fn expected(&self) -> String {
        "auto, all, sqrt, log2, log2+1, third, a count such as 5, or a share such as 0.5".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_rules() {
        let counts = |n| {
            use FeatureCount::*;
            [All, Sqrt, Log2, Log2PlusOne, Third, Count(5), Share(0.5)].map(|c| c.of(n))
        };
        assert_eq!(counts(28), [28, 5, 4, 5, 9, 5, 14]);
        assert_eq!(counts(1), [1, 1, 1, 1, 1, 1, 1]);
    }
}

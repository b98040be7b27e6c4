//! Sums whose rounding error does not grow with the number of terms.

/// Neumaier's compensated sum: what each addition rounds off is kept and added at the end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    pub fn add(&mut self, x: f64) {
        let total = self.total + x;
        self.lost += if self.total.abs() >= x.abs() {
            (self.total - total) + x
        } else {
            (x - total) + self.total
        };
        self.total = total;
    }

    pub fn value(self) -> f64 {
        if self.total.is_finite() { self.total + self.lost } else { self.total }
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Sum {
        let mut sum = Sum::default();
        terms.into_iter().for_each(|x| sum.add(x));
        sum
    }
}

/// The mean of `(value, weight)` pairs; NaN of none.
pub(super) fn mean(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut weight) = (Sum::default(), Sum::default());
    for (x, w) in pairs {
        sum.add(w * x);
        weight.add(w);
    }
    sum.value() / weight.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive_large_ones() {
        let sum: Sum = [1.0, 1e100, 1.0, -1e100].into_iter().collect();
        assert_eq!(sum.value(), 2.0);
        let tenths: Sum = std::iter::repeat_n(0.1, 10).collect();
        assert_eq!(tenths.value(), 1.0);
        let endless: Sum = [1.0, f64::INFINITY, 1.0].into_iter().collect();
        assert_eq!(endless.value(), f64::INFINITY);
    }
}

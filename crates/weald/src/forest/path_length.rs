//! How deep rows lie in completely random trees, on the mean (Liu, Ting & Zhou 2008, eq. 1).

/// The numbers up to which the sum is added up; beyond it the series below is as exact as a double.
const SUMMED: u64 = 64;
/// Euler's constant.
const GAMMA: f64 = 0.577_215_664_901_532_9;

/// `c(n)`: the mean depth of a row in a completely random tree of `n` different rows of one column,
/// which is that of an unsuccessful search in a binary search tree. 0 for one row and for none.
pub fn average_path_length(n: u64) -> f64 {
    match n {
        0 | 1 => 0.0,
        n => 2.0 * harmonic(n - 1) - 2.0 * (n - 1) as f64 / n as f64, // c(n) = 2H(n-1) - 2(n-1)/n
    }
}

/// The units that path lengths are counted in, in one split: sums over thousands of trees are then
/// exact, and rows that no tree tells apart have the score of a typical row to the last digit.
const UNITS: f64 = (1u64 << 36) as f64;

/// How long the path of a row is that ends after some splits among so many rows: `h(x) = e + c(n)`.
pub fn path_length(n_splits: f64, n_rows: u64) -> f64 {
    ((n_splits + average_path_length(n_rows)) * UNITS).round() / UNITS
}

/// `H(n) = 1 + 1/2 + ... + 1/n`, to the last digits of a double.
fn harmonic(n: u64) -> f64 {
    if n <= SUMMED {
        return (1..=n).rev().map(|i| 1.0 / i as f64).sum();
    }
    let n = n as f64;
    let square = 1.0 / (n * n);
    // Euler and Maclaurin; the first term left out is n^-8 / 240, less than 1e-16 here.
    let tail = square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0));
    libm::log(n) + GAMMA + 0.5 / n - tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_the_books() {
        let known = [(1, 0.0), (2, 1.0), (3, 1.6667), (5, 2.5667), (10, 3.8579), (256, 10.2487)];
        for (n, c) in known {
            assert!((average_path_length(n) - c).abs() < 5e-5, "{n}");
        }
        assert_eq!(average_path_length(0), 0.0);
        assert_eq!(average_path_length(3), 5.0 / 3.0);
    }

    #[test]
    fn the_series_is_the_sum() {
        let mut sum = 0.0;
        let mut lost = 0.0;
        for n in 1..=100_000u64 {
            // Added with what was lost before (Kahan).
            let term = 1.0 / n as f64 - lost;
            let next = sum + term;
            lost = (next - sum) - term;
            sum = next;
            assert!((harmonic(n) - sum).abs() <= 1e-15 * sum.max(1.0), "{n}");
        }
    }

    #[test]
    fn it_is_the_mean_over_all_trees() {
        // D(n), the sum of depths, has E D(n) = n + 2/(n-1) sum over k of D(k) where each of the
        // n - 1 gaps is cut alike, and c(n) = E D(n) / n.
        let mut depth_sums = vec![0.0, 0.0];
        for n in 2..200usize {
            let below: f64 = (1..n).map(|k| depth_sums[k]).sum();
            depth_sums.push(n as f64 + 2.0 / (n - 1) as f64 * below);
        }
        // The paper's c(n) is that of searches that fail, which end below a tree of n - 1 keys.
        for n in 2..200u64 {
            let mean = depth_sums[n as usize] / n as f64;
            assert!((average_path_length(n) - mean).abs() < 1e-9 * mean, "{n}");
        }
    }
}

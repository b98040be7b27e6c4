//! Probabilities of classes from probabilities of pairs of classes.
//!
//! `r[i][j]` is how likely class i is, of i and j alone. Probabilities with
//! `r[i][j] = p_i / (p_i + p_j)` for all pairs mostly do not exist: two ways to come near.

/// Answers are kept this far from 0 and 1: no pair may decide alone.
const LEAST: f64 = 1e-7;
/// Sweeps over the classes at the most.
const MOST_SWEEPS: usize = 10_000;
const TOLERANCE: f64 = 1e-13;

/// The probabilities with the least weighted relative entropy of the answers to those that they
/// imply (Hastie & Tibshirani 1998, "Classification by pairwise coupling", algorithm 1); a pair
/// weighs as much as its rows, `n[i][j]`.
pub fn hastie_tibshirani(r: &[Vec<f64>], n: &[Vec<f64>]) -> Vec<f64> {
    let k = r.len();
    let r = |i: usize, j: usize| r[i][j].clamp(LEAST, 1.0 - LEAST);
    let others = |i: usize| (0..k).filter(move |&j| j != i);
    // The start that the paper gives: in proportion to the answers' sums.
    let mut p: Vec<f64> = (0..k).map(|i| others(i).map(|j| r(i, j)).sum()).collect();
    normalise(&mut p);
    for _ in 0..MOST_SWEEPS {
        let mut moved: f64 = 0.0;
        for i in 0..k {
            let said: f64 = others(i).map(|j| n[i][j] * r(i, j)).sum();
            let implied: f64 = others(i).map(|j| n[i][j] * p[i] / (p[i] + p[j])).sum(); // mu_ij
            let factor = said / implied;
            moved = moved.max((factor - 1.0).abs());
            p[i] *= factor;
            normalise(&mut p);
        }
        if moved < TOLERANCE {
            break;
        }
    }
    p
}

/// The probabilities with the least sum over pairs of `(r_ji p_i - r_ij p_j)²` (Wu, Lin & Weng
/// 2004, "Probability estimates for multi-class classification by pairwise coupling", their second
/// approach and algorithm 2).
pub fn wu_lin_weng(r: &[Vec<f64>]) -> Vec<f64> {
    let k = r.len();
    let r = |i: usize, j: usize| r[i][j].clamp(LEAST, 1.0 - LEAST);
    let q = |i: usize, j: usize| match i == j {
        true => (0..k).filter(|&s| s != i).map(|s| r(s, i) * r(s, i)).sum(),
        false => -r(j, i) * r(i, j), // eq. 18
    };
    let q: Vec<Vec<f64>> = (0..k).map(|i| (0..k).map(|j| q(i, j)).collect()).collect();
    let mut p = vec![1.0 / k as f64; k];
    let times = |p: &[f64], i: usize| -> f64 { q[i].iter().zip(p).map(|(q, p)| q * p).sum() };
    for _ in 0..MOST_SWEEPS {
        let whole: f64 = (0..k).map(|i| p[i] * times(&p, i)).sum(); // pᵀQp
        let off = (0..k).map(|i| (times(&p, i) - whole).abs()).fold(0.0, f64::max);
        if off < TOLERANCE {
            break;
        }
        for t in 0..k {
            let whole: f64 = (0..k).map(|i| p[i] * times(&p, i)).sum();
            p[t] = (whole - (times(&p, t) - q[t][t] * p[t])) / q[t][t];
            normalise(&mut p);
        }
    }
    p
}

fn normalise(p: &mut [f64]) {
    let total: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= total);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn consistent(p: &[f64]) -> Vec<Vec<f64>> {
        let of = |i: usize, j: usize| if i == j { 0.0 } else { p[i] / (p[i] + p[j]) };
        (0..p.len()).map(|i| (0..p.len()).map(|j| of(i, j)).collect()).collect()
    }

    proptest! {
        #[test]
        fn consistent_answers_give_back_their_probabilities(
            parts in prop::collection::vec(0.02..1.0f64, 2..9), sizes in prop::collection::vec(1.0..50.0f64, 9),
        ) {
            let total: f64 = parts.iter().sum();
            let p: Vec<f64> = parts.iter().map(|x| x / total).collect();
            let r = consistent(&p);
            let k = p.len();
            let n: Vec<Vec<f64>> =
                (0..k).map(|i| (0..k).map(|j| sizes[i] + sizes[j]).collect()).collect();
            for found in [hastie_tibshirani(&r, &n), wu_lin_weng(&r)] {
                let off = found.iter().zip(&p).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                prop_assert!(off < 1e-6, "{:?} {:?}", found, p);
            }
        }

        #[test]
        fn any_answers_give_probabilities(
            answers in prop::collection::vec(0.0..=1.0f64, 15), sure in 0..3u32,
        ) {
            let answer = |i: usize, j: usize| match (sure, answers[i * (i - 1) / 2 + j]) {
                (0, x) => x.round(),
                (1, _) => 0.0,
                (_, x) => x,
            };
            let of = |i: usize, j: usize| match i.cmp(&j) {
                std::cmp::Ordering::Greater => answer(i, j),
                std::cmp::Ordering::Equal => 0.0,
                std::cmp::Ordering::Less => 1.0 - answer(j, i),
            };
            let r: Vec<Vec<f64>> = (0..6).map(|i| (0..6).map(|j| of(i, j)).collect()).collect();
            let n = vec![vec![1.0; 6]; 6];
            for found in [hastie_tibshirani(&r, &n), wu_lin_weng(&r)] {
                prop_assert!(found.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", found);
                prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
    }

    /// The probabilities of a least relative entropy imply, for each class and over all its pairs,
    /// as much as was said (1998, eq. 4).
    #[test]
    fn what_is_implied_is_what_was_said() {
        let r = vec![vec![0.0, 0.9, 0.4], vec![0.1, 0.0, 0.7], vec![0.6, 0.3, 0.0]];
        for n in [
            vec![vec![1.0; 3]; 3],
            vec![vec![0.0, 5.0, 2.0], vec![5.0, 0.0, 9.0], vec![2.0, 9.0, 0.0]],
        ] {
            let p = hastie_tibshirani(&r, &n);
            for i in 0..3 {
                let others = || (0..3).filter(|&j| j != i);
                let said: f64 = others().map(|j| n[i][j] * r[i][j]).sum();
                let implied: f64 = others().map(|j| n[i][j] * p[i] / (p[i] + p[j])).sum();
                assert!((said - implied).abs() < 1e-9, "{said} {implied}");
            }
        }
    }

    /// No probabilities nearby have a lower sum of squares.
    #[test]
    fn the_sum_of_squares_is_least() {
        let r = vec![vec![0.0, 0.9, 0.4], vec![0.1, 0.0, 0.7], vec![0.6, 0.3, 0.0]];
        let off = |p: &[f64]| -> f64 {
            let pair = |i: usize, j: usize| (r[j][i] * p[i] - r[i][j] * p[j]).powi(2);
            (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).map(|(i, j)| pair(i, j)).sum()
        };
        let p = wu_lin_weng(&r);
        for (i, j) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)] {
            let mut moved = p.clone();
            moved[i] += 1e-3;
            moved[j] -= 1e-3;
            assert!(off(&moved) > off(&p), "{p:?}");
        }
    }
}

//! What must be known of gradients before they are scaled to integers.

use crate::loss::Gradient;
use crate::tree::kernel::dispatch::{Loop, with_vectors};

/// Rows that are measured side by side.
const LANES: usize = 8;

/// What is known of the gradients of some rows.
#[derive(Default)]
pub struct Measures {
    /// The largest `|g|`.
    pub largest_g: f32,
    /// The largest `h`.
    pub largest_h: f32,
    /// The sum of `g^2`.
    pub squares: f32,
    /// The sum of `|g|`.
    pub sum_g: f64,
    /// The sum of positive `h`.
    pub sum_h: f64,
    /// Whether one of them is not finite.
    pub is_unsound: bool,
}

/// Measures the gradients of some rows; those of absent rows become 0.
pub fn measure(rows: &mut [Gradient], copies: Option<&[u32]>) -> Measures {
    if let Some(copies) = copies {
        for (row, &copies) in rows.iter_mut().zip(copies) {
            *row = if copies == 0 { Gradient::default() } else { *row };
        }
    }
    let (blocks, rest) = rows.as_chunks::<LANES>();
    let mut last = [Gradient::default(); LANES];
    last[..rest.len()].copy_from_slice(rest);
    let mut lanes = with_vectors(Count { blocks, copies });
    let mut last_copies = [1; LANES];
    if let Some(copies) = copies {
        last_copies[..rest.len()].copy_from_slice(&copies[rows.len() - rest.len()..]);
    }
    lanes.count(&last, &last_copies);
    Measures {
        largest_g: lanes.largest_g.into_iter().fold(0.0, larger),
        largest_h: lanes.largest_h.into_iter().fold(0.0, larger),
        squares: lanes.squares.iter().sum(),
        sum_g: lanes.sum_g.iter().sum(),
        sum_h: lanes.sum_h.iter().sum(),
        is_unsound: lanes.unsound.iter().any(|x| *x != 0.0),
    }
}

/// Measures of eight rows side by side.
#[derive(Default)]
struct Lanes {
    largest_g: [f32; LANES],
    largest_h: [f32; LANES],
    squares: [f32; LANES],
    unsound: [f32; LANES],
    sum_g: [f64; LANES],
    sum_h: [f64; LANES],
}

impl Lanes {
    #[inline(always)]
    fn count(&mut self, block: &[Gradient; LANES], copies: &[u32; LANES]) {
        for (i, (gradient, &copies)) in block.iter().zip(copies).enumerate() {
            let (g, h, copies) = (gradient.g.abs(), gradient.h, copies as f32);
            self.largest_g[i] = larger(self.largest_g[i], g);
            self.largest_h[i] = larger(self.largest_h[i], h);
            self.squares[i] += copies * g * g;
            // 0, unless one of them is not finite.
            self.unsound[i] += g * 0.0 + h * 0.0;
            self.sum_g[i] += f64::from(copies) * f64::from(g);
            self.sum_h[i] += f64::from(copies) * f64::from(larger(0.0, h));
        }
    }
}

/// Counts whole blocks of rows.
struct Count<'a> {
    blocks: &'a [[Gradient; LANES]],
    copies: Option<&'a [u32]>,
}

impl Loop for Count<'_> {
    type Found = Lanes;

    #[inline(always)]
    fn run(self) -> Lanes {
        let mut lanes = Lanes::default();
        match self.copies {
            None => self.blocks.iter().for_each(|block| lanes.count(block, &[1; LANES])),
            Some(copies) => {
                let copies = copies.as_chunks::<LANES>().0;
                let blocks = self.blocks.iter().zip(copies);
                blocks.for_each(|(block, copies)| lanes.count(block, copies));
            }
        }
        lanes
    }
}

/// The larger one; `a` if `b` is no number. One instruction, where the library's must also mind
/// what `a` is.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gradients of whole numbers, whose sums are exact in any order.
    fn rows(n: usize) -> Vec<Gradient> {
        let row = |i: usize| Gradient { g: (i % 7) as f32 - 3.0, h: (i % 5) as f32 - 1.0 };
        (0..n).map(row).collect()
    }

    #[test]
    fn rows_side_by_side_measure_the_same_as_one_after_the_other() {
        for n in [0, 1, 7, 8, 9, 64, 1003] {
            let all = measure(&mut rows(n), None);
            let counted = measure(&mut rows(n), Some(&vec![1; n]));
            assert_eq!((all.largest_g, all.largest_h), (counted.largest_g, counted.largest_h));
            assert_eq!((all.sum_g, all.sum_h), (counted.sum_g, counted.sum_h));
            assert_eq!(all.squares, counted.squares);
            assert!(!all.is_unsound && !counted.is_unsound);
        }
    }

    #[test]
    fn what_is_not_finite_is_found_wherever_it_is() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for place in [0, 5, 16, 19] {
                let (mut g, mut h) = (rows(20), rows(20));
                g[place].g = bad;
                h[place].h = bad;
                assert!(measure(&mut g, None).is_unsound && measure(&mut h, None).is_unsound);
                assert!(measure(&mut g, Some(&[1; 20])).is_unsound);
            }
        }
    }
}

//! Gradients as integers.
//!
//! Packed gradients travel with the rows: up to 14 bits for `g`, as many for `h`, fewer where their
//! sums could overflow ([`super::rounding`]). Where a few gradients are so large that the others
//! would lose their digits, and for small tables with real weights, wide ones keep them all.

use std::ops::Range;

use rayon::prelude::*;

use super::bag::Bag;
use super::measures::{Measures, measure};
use super::rounding::Rounding;
use super::targets::Targets;
use super::wide_gradients::{ExactScales, WideGradients};
use crate::data::Task;
use crate::error::{Error, Result};
use crate::loss::{Gradient, JointLoss, Loss, Rows};
use crate::seed::{Purpose, Seed};
use crate::tree::kernel::dispatch::{Loop, with_vectors};
use crate::tree::kernel::memory::filled;
use crate::tree::parts::{Parts, cut, on_each_thread};
use crate::tree::statistic::{Entry, PackedGradients, pack};

/// Rows in a chunk of work.
pub const CHUNK: usize = 1 << 12;
/// Rows that may be packed: rounding may add one unit for each.
const MOST_PACKED_ROWS: usize = 1 << 29;
/// Bits of a wide gradient, at the most: twice those that a single-precision number has.
const WIDE_BITS: i32 = 50;
/// Bits that a wide sum may fill.
const WIDE_SUM_BITS: i32 = 61;

/// The gradients of one score of every row.
pub struct Gradients {
    /// First and second derivatives times the row's weight.
    pub rows: Vec<Gradient>,
    largest_g: f64,
    largest_h: f64,
    squares: f64,
    sum_g: f64,
    sum_h: f64,
    is_of_numbers: bool,
}

/// All rows, as their gradients are taken.
pub struct AllRows<'a> {
    /// Their targets.
    pub targets: Targets<'a>,
    /// Their scores, `width` numbers a row.
    pub scores: &'a [f64],
    /// What [`Loss::shared`] gives for each row, [`Loss::n_shared`] numbers; empty where a row has one
    /// score.
    pub shared: &'a [f64],
}

/// Gradients as integers, with an entry for each row of the bag.
pub struct Scaled {
    /// How the integers are summed.
    pub sums: Sums,
    /// The entries.
    pub entries: Parts,
    /// What a unit of `g` is.
    pub g_unit: f64,
    /// What a unit of `h` is.
    pub h_unit: f64,
}

/// How gradients are summed.
pub enum Sums {
    /// From the entries themselves.
    Packed(PackedGradients),
    /// By row.
    Wide(WideGradients),
}

impl Gradients {
    /// No gradients yet.
    pub fn new(n_rows: usize) -> Gradients {
        let rows = filled(Gradient::default(), n_rows);
        Gradients {
            rows,
            largest_g: 0.0,
            largest_h: 0.0,
            squares: 0.0,
            sum_g: 0.0,
            sum_h: 0.0,
            is_of_numbers: false,
        }
    }

    /// Takes the derivatives of `loss`, which rows may have together, by score number `output`,
    /// times the rows' weights; 0 for
    /// rows that are not in the bag. An error if one of them is not finite.
    pub fn take(
        &mut self,
        (loss, joint): (&dyn Loss, Option<&dyn JointLoss>),
        all: &AllRows<'_>,
        output: usize,
        (bag, ranges): (&Bag, &[Range<usize>]),
    ) -> Result<()> {
        let (width, n_shared) = (loss.width(), loss.n_shared());
        let per_row = all.targets.per_row();
        self.is_of_numbers = loss.task() == Task::Regression;
        if let Some(joint) = joint {
            joint.gradients(all.scores, &mut self.rows);
        }
        let one = |(chunk, out): (usize, &mut [Gradient])| {
            let rows = chunk * CHUNK..chunk * CHUNK + out.len();
            let (mut room, mut wide) = ([0.0; CHUNK], Vec::new());
            let room = if per_row == 1 {
                &mut room[..]
            } else {
                wide.resize(per_row * CHUNK, 0.0);
                &mut wide[..]
            };
            let own = Rows {
                targets: all.targets.some(rows.clone(), room),
                scores: &all.scores[rows.start * width..rows.end * width],
                shared: match width {
                    1 => &[],
                    _ => &all.shared[rows.start * n_shared..rows.end * n_shared],
                },
            };
            if joint.is_none() {
                loss.gradients(&own, output, out);
            }
            if let Some(weights) = &bag.weights {
                for (out, &w) in out.iter_mut().zip(&weights[rows.clone()]) {
                    // A row of weight 0 is absent, even where the loss is not defined.
                    *out = match w > 0.0 {
                        true => Gradient { g: out.g * w, h: out.h * w },
                        false => Gradient::default(),
                    };
                }
            }
            measure(out, bag.copies.as_ref().map(|copies| &copies[rows]))
        };
        let chunks = each_chunk(&mut self.rows, ranges, one);
        if self.keep_measures(chunks) {
            return Ok(());
        }
        let row = self.rows.iter().position(|gradient| !gradient.is_finite()).unwrap_or(0);
        let Gradient { g, h } = self.rows[row];
        Err(Error::BadGradient { loss: loss.name(), row: row + 1, g, h })
    }

    /// Multiplies the gradients of each row of a bag by the row's factor.
    pub fn reweigh(&mut self, factors: &[f32], bag: &Bag) {
        let one = |(chunk, out): (usize, &mut [Gradient])| {
            let rows = chunk * CHUNK..chunk * CHUNK + out.len();
            for (out, f) in out.iter_mut().zip(&factors[rows.clone()]) {
                *out = Gradient { g: out.g * f, h: out.h * f };
            }
            measure(out, bag.copies.as_ref().map(|copies| &copies[rows]))
        };
        let chunks = self.rows.par_chunks_mut(CHUNK).enumerate().map(one).collect();
        self.keep_measures(chunks);
    }

    /// Keeps what was measured of all chunks; whether every gradient is finite.
    fn keep_measures(&mut self, chunks: Vec<Measures>) -> bool {
        self.largest_g = chunks.iter().map(|c| f64::from(c.largest_g)).fold(0.0, f64::max);
        self.largest_h = chunks.iter().map(|c| f64::from(c.largest_h)).fold(0.0, f64::max);
        self.squares = chunks.iter().map(|c| f64::from(c.squares)).sum();
        self.sum_g = chunks.iter().map(|c| c.sum_g).sum();
        self.sum_h = chunks.iter().map(|c| c.sum_h).sum();
        !chunks.iter().any(|c| c.is_unsound)
    }

    /// Whether the rows have gradients, but no second derivatives to divide them by.
    pub fn are_flat(&self) -> bool {
        self.largest_g > 0.0 && self.largest_h == 0.0
    }

    /// Scales the gradients of a bag to integers. `memory` is reused for the entries. Where digits
    /// are few, `seed` decides which way each row is rounded.
    pub fn scale(
        &self,
        (bag, ranges): (&Bag, &[Range<usize>]),
        memory: Vec<Entry>,
        seed: Seed,
    ) -> Scaled {
        let small_and_weighted = bag.is_weighted && bag.n <= 1 << 16;
        let g = Rounding::of(self.largest_g, self.sum_g);
        let h = Rounding::of(self.largest_h, self.sum_h);
        let is_heavy_tailed = || {
            self.is_heavy_tailed(bag.n, &g)
                || self.most_are_small(&g, self.sum_g, bag, |gradient| gradient.g.abs())
                || self.most_are_small(&h, self.sum_h, bag, |gradient| gradient.h)
        };
        if small_and_weighted || bag.n > MOST_PACKED_ROWS || is_heavy_tailed() {
            self.wide(bag, memory)
        } else {
            let draws = seed.stream(Purpose::Rounding);
            // At least one unit of `h`: a row must not vanish from the weight of its node.
            let entry = |g: i32, h: i32, row: u32| pack(row, g as i16, h.max(1) as u16);
            let entries = if g.is_coarse || h.is_coarse {
                self.entries((bag, ranges), memory, |row, gradient| {
                    let (for_g, for_h) = thresholds(draws.at(row.into()));
                    entry(g.drawn(gradient.g, for_g), h.drawn(gradient.h, for_h), row)
                })
            } else {
                self.entries((bag, ranges), memory, |row, gradient| {
                    entry(g.nearest(gradient.g), h.nearest(gradient.h), row)
                })
            };
            let sums = Sums::Packed(PackedGradients::new(g.most, &entries.entries));
            Scaled { sums, entries, g_unit: g.unit(), h_unit: h.unit() }
        }
    }

    /// Whether the root mean square of `g` would be less than 16 units when packed.
    fn is_heavy_tailed(&self, n: usize, rounding: &Rounding) -> bool {
        let mean_square = self.squares / n as f64;
        let unit = self.largest_g / rounding.most;
        // Squares of very large gradients are infinite in single precision.
        mean_square < 16.0 * 16.0 * unit * unit || mean_square.is_infinite()
    }

    /// Whether more than half of the rows would keep so few units when packed that the splits of a
    /// tree could no longer be told apart. What rounding takes from a sum of rows evens out with
    /// the root of their number, so the fewer rows, the more units each needs.
    ///
    /// Only for losses of numbers: a small gradient beside large ones is then a row that is still
    /// to be learned, once the others are, and in a classification one that has been. Rows are
    /// counted only where the mean is far below the largest.
    fn most_are_small(
        &self,
        rounding: &Rounding,
        sum: f64,
        bag: &Bag,
        size: impl Fn(&Gradient) -> f32 + Sync,
    ) -> bool {
        let largest = rounding.unit() * rounding.most;
        if !self.is_of_numbers || sum > bag.n as f64 * largest / 16.0 {
            return false;
        }
        let limit = rounding.unit() * 8192.0 / (bag.n as f64).sqrt();
        let copies = |row: usize| bag.copies.as_ref().map_or(1, |copies| copies[row] as usize);
        let (small, all) = (self.rows.par_iter().enumerate())
            .map(|(row, gradient)| match f64::from(size(gradient)) {
                0.0 => (0, 0),
                size if size < limit => (copies(row), copies(row)),
                _ => (0, copies(row)),
            })
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        2 * small > all
    }

    /// An entry for each row of a bag, in row order.
    pub fn entries(
        &self,
        (bag, ranges): (&Bag, &[Range<usize>]),
        mut entries: Vec<Entry>,
        entry: impl Fn(u32, &Gradient) -> Entry + Sync,
    ) -> Parts {
        if entries.capacity() < bag.n {
            entries = filled(0, bag.n);
        }
        entries.resize(bag.n, 0);
        // Where the rows of each range stand in the bag. Copies of a row are never torn apart.
        let starts = |range: &Range<usize>| match &bag.rows {
            None => range.clone(),
            Some(rows) => {
                let place = |row: usize| rows.partition_point(|&r| (r as usize) < row);
                place(range.start)..place(range.end)
            }
        };
        let places: Vec<Range<usize>> = ranges.iter().map(starts).collect();
        let lens: Vec<usize> = places.iter().map(Range::len).collect();
        let tasks = places.into_iter().zip(cut(&mut entries, lens.iter().copied()));
        on_each_thread(tasks.collect(), |(places, out)| match &bag.rows {
            None => {
                let (first, rows) = (places.start as u32, &self.rows[places]);
                with_vectors(Entries { first, rows, entry: &entry, out });
            }
            Some(rows) => {
                for (&row, out) in rows[places].iter().zip(out) {
                    *out = entry(row, &self.rows[row as usize]);
                }
            }
        });
        Parts { entries, lens }
    }

    fn wide(&self, bag: &Bag, mut entries: Vec<Entry>) -> Scaled {
        let scales = self.exact_scales(bag.n);
        let rows = self.rows.par_iter().map(|gradient| {
            let (g, h) = scales.units(gradient);
            (g, h.max(1))
        });
        entries.clear();
        match &bag.rows {
            None => entries.extend(0..self.rows.len() as Entry),
            Some(rows) => entries.extend(rows.iter().map(|&row| Entry::from(row))),
        }
        Scaled {
            sums: Sums::Wide(WideGradients(rows.collect())),
            entries: Parts::whole(entries),
            g_unit: 1.0 / scales.g,
            h_unit: 1.0 / scales.h,
        }
    }

    /// The sum of the second derivatives.
    pub fn total_h(&self) -> f64 {
        self.sum_h
    }

    /// The sum of squared gradients for each unit of second derivatives, 1 for a likelihood near
    /// its maximum: how much gain noise makes. A row of weight 2 is the row twice.
    pub fn dispersion(&self, bag: &Bag) -> f64 {
        let one = |(chunk, gradients): (usize, &[Gradient])| {
            let first = chunk * CHUNK;
            let (mut squares, mut h) = (0.0, 0.0);
            for (row, gradient) in (first..).zip(gradients) {
                let copies = bag.copies.as_ref().map_or(1.0, |c| f64::from(c[row]));
                let weight = bag.weights.as_ref().map_or(1.0, |w| f64::from(w[row]));
                if weight > 0.0 {
                    squares += copies * f64::from(gradient.g) * f64::from(gradient.g) / weight;
                    h += copies * f64::from(gradient.h);
                }
            }
            (squares, h)
        };
        let chunks: Vec<(f64, f64)> = self.rows.par_chunks(CHUNK).enumerate().map(one).collect();
        let sum = |of: fn(&(f64, f64)) -> f64| chunks.iter().map(of).sum::<f64>();
        let (squares, h) = (sum(|c| c.0), sum(|c| c.1));
        if h > 0.0 { squares / h } else { 0.0 }
    }

    /// Powers of two by which `n` gradients can be summed as integers.
    pub fn exact_scales(&self, n: usize) -> ExactScales {
        self.scales((WIDE_SUM_BITS - (usize::BITS - n.leading_zeros()) as i32).min(WIDE_BITS))
    }

    /// Powers of two by which gradients become integers of at most so many bits.
    pub fn scales(&self, bits: i32) -> ExactScales {
        let scale = |largest: f64| {
            let exponent = if largest > 0.0 { libm::frexp(largest).1 } else { 0 };
            libm::ldexp(1.0, bits - exponent)
        };
        ExactScales { g: scale(self.largest_g), h: scale(self.largest_h) }
    }
}

/// The entries of consecutive rows.
struct Entries<'a, E> {
    first: u32,
    rows: &'a [Gradient],
    entry: &'a E,
    out: &'a mut [Entry],
}

impl<E: Fn(u32, &Gradient) -> Entry> Loop for Entries<'_, E> {
    type Found = ();

    #[inline(always)]
    fn run(self) {
        for ((row, gradient), out) in (self.first..).zip(self.rows).zip(self.out) {
            *out = (self.entry)(row, gradient);
        }
    }
}

/// Does `work` for each chunk of the rows, each range on a thread of its own; ranges begin with
/// chunks.
fn each_chunk<R: Send>(
    rows: &mut [Gradient],
    ranges: &[Range<usize>],
    work: impl Fn((usize, &mut [Gradient])) -> R + Sync,
) -> Vec<R> {
    let tasks =
        ranges.iter().map(|r| r.start / CHUNK).zip(cut(rows, ranges.iter().map(Range::len)));
    let done = on_each_thread(tasks.collect(), |(first, rows)| {
        (first..).zip(rows.chunks_mut(CHUNK)).map(&work).collect::<Vec<R>>()
    });
    done.into_iter().flatten().collect()
}

/// Two numbers in `[0, 1)`, 24 bits each, of 64 random bits.
fn thresholds(bits: u64) -> (f32, f32) {
    let unit = |bits: u64| (bits >> 40) as f32 * (1.0 / (1u64 << 24) as f32);
    (unit(bits), unit(bits << 32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Weights;
    use crate::run::Run;
    use crate::tree::parts::ranges;
    use crate::tree::statistic::{PairSum, Statistic};

    /// Gradients in few clusters, as those of a loss on columns of few values are, measured as if
    /// there were `times` as many rows.
    fn clustered(n_rows: usize, times: f64) -> (Gradients, Bag) {
        let mut gradients = Gradients::new(n_rows);
        for (row, gradient) in gradients.rows.iter_mut().enumerate() {
            let g = [-1.0, 0.0137, 0.2549, 0.333][row % 4];
            *gradient = Gradient { g, h: [0.25, 0.0111, 0.0777][row % 3] };
        }
        let measures = measure(&mut gradients.rows, None);
        assert!(gradients.keep_measures(vec![measures]));
        gradients.sum_g *= times;
        gradients.sum_h *= times;
        (gradients, Bag::of(&Weights::Uniform, n_rows).unwrap())
    }

    /// The sums of `g` and `h`, in their own units.
    fn sums(scaled: &Scaled) -> (f64, f64) {
        fn sum<T: Statistic<Sum = PairSum>>(statistic: &T, entries: &[Entry]) -> PairSum {
            let mut sum = statistic.zero();
            entries.iter().for_each(|&entry| statistic.add(entry, &mut sum));
            sum
        }
        let sum = match &scaled.sums {
            Sums::Packed(pairs) => sum(pairs, &scaled.entries.entries),
            Sums::Wide(pairs) => sum(pairs, &scaled.entries.entries),
        };
        (sum.g as f64 * scaled.g_unit, sum.h as f64 * scaled.h_unit)
    }

    #[test]
    fn few_bits_give_the_sums_that_all_digits_give() {
        let n_rows = 120_000;
        let (gradients, bag) = clustered(n_rows, 250.0);
        let wide = gradients.wide(&bag, Vec::new());
        let packed = gradients.scale((&bag, &ranges(n_rows, 1, CHUNK)), Vec::new(), Seed(4));
        assert!(matches!(packed.sums, Sums::Packed(_)));
        // Thirty million rows leave under nine bits.
        let most = packed.entries.entries.iter().map(|&e| ((e >> 48) as i16).unsigned_abs()).max();
        assert!(most < Some(256), "{most:?}");
        let ((g, h), (true_g, true_h)) = (sums(&packed), sums(&wide));
        // A row is off by half a unit at the most, on average by nothing: five standard errors.
        let allowed = 5.0 * 0.5 * (n_rows as f64).sqrt();
        assert!((g - true_g).abs() < allowed * packed.g_unit, "{g} for {true_g}");
        assert!((h - true_h).abs() < allowed * packed.h_unit, "{h} for {true_h}");
        // To the nearest unit, a cluster is off as a whole.
        let rounding = Rounding::of(gradients.largest_g, gradients.sum_g);
        let nearest: f64 = gradients.rows.iter().map(|r| f64::from(rounding.nearest(r.g))).sum();
        assert!((nearest * rounding.unit() - true_g).abs() > 2.0 * allowed * rounding.unit());
    }

    #[test]
    fn random_rounding_does_not_depend_on_threads_but_on_the_seed() {
        let (gradients, bag) = clustered(50_000, 1000.0);
        let entries = |threads: usize, seed: u64| {
            let run = Run::quiet(Seed(0), threads).unwrap();
            let ranges = ranges(50_000, threads, CHUNK);
            let scale = || gradients.scale((&bag, &ranges), Vec::new(), Seed(seed));
            run.install(scale).entries.entries
        };
        let one = entries(1, 1);
        assert!(one == entries(2, 1) && one == entries(4, 1));
        assert!(one != entries(1, 2));
    }
}

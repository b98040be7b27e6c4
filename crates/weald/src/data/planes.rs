//! The byte columns of a table as planes: sixteen bytes of a row together.
//!
//! Each byte is the code of one feature, or of several with few values ([`super::bundles`]). Planes
//! serve the packed histograms of big nodes.

use std::ops::Range;

use rayon::prelude::*;

use super::bins::{Bins, Codes};
use super::bundles::Bundle;
pub use crate::tree::kernel::histogram::PLANE_FEATURES;
use crate::tree::kernel::memory::filled;

/// A byte is put with those that hardly vary if at most one row in so many has another value than
/// most.
const SPARSE_ROWS: usize = 40;
/// Bytes of a plane, on average, in which a row may differ from most rows, so that looking for
/// them pays. Measured: to add a row takes 6.5 ns, to look for what differs 0.9 ns and 8 ns for
/// each byte found.
const MOST_OTHERS: f64 = 0.5;
/// Rows that are looked at to find out.
const SAMPLED_ROWS: usize = 1 << 14;

/// Codes of byte columns, sixteen bytes of a row together.
#[derive(Debug)]
pub struct Planes {
    /// What is at each place of each plane.
    pub bundles: Vec<Vec<Bundle>>,
    /// For each plane, the codes of each row; places without a bundle hold 0.
    pub codes: Vec<Vec<[u8; PLANE_FEATURES]>>,
    /// For each plane, the most frequent byte of each place, if few bytes are others.
    pub majorities: Vec<Option<[u8; PLANE_FEATURES]>>,
    places: Vec<Option<Place>>,
    n_shared_cells: usize,
}

/// Where a feature is in the planes.
#[derive(Debug, Clone)]
pub struct Place {
    /// The plane.
    pub plane: usize,
    /// The byte of the plane.
    pub place: usize,
    /// Where the feature's cells are among those of all features that share bytes; `None` if it
    /// has a byte of its own.
    pub shared: Option<Range<usize>>,
}

impl Planes {
    /// The byte columns of `bins`.
    pub(super) fn of(bins: &Bins) -> Planes {
        let mut bundles = Bundle::all(bins.columns(), bins.n_rows());
        // Those that hardly vary together, so that there are planes to skip most rows of.
        bundles.sort_by_key(|bundle| bundle.n_others() * SPARSE_ROWS <= bins.n_rows());
        Planes::laid_out(bins, bundles)
    }

    fn laid_out(bins: &Bins, bundles: Vec<Bundle>) -> Planes {
        // Planes of equal size: 28 features make 14 + 14, which is faster than 16 + 12.
        let n_planes = bundles.len().div_ceil(PLANE_FEATURES).max(1);
        let size = bundles.len().div_ceil(n_planes).max(1);
        let mut left = bundles.into_iter();
        let mut planes: Vec<Vec<Bundle>> = Vec::with_capacity(n_planes);
        while left.len() > 0 {
            // Into a list of its own size: one that is split off keeps the room of the whole.
            planes.push(left.by_ref().take(size).collect());
        }
        let codes: Vec<_> = planes.par_iter().map(|plane| lay(bins, plane)).collect();
        let majorities = codes.iter().map(|codes| majority(codes)).collect();
        let mut places = vec![None; bins.columns().len()];
        let mut n_shared_cells = 0;
        for (plane, bundles) in planes.iter().enumerate() {
            for (place, bundle) in bundles.iter().enumerate() {
                for member in bundle.members() {
                    let shared = bundle.alone().is_none().then(|| {
                        let first = n_shared_cells;
                        n_shared_cells += member.n_codes;
                        first..n_shared_cells
                    });
                    places[member.feature] = Some(Place { plane, place, shared });
                }
            }
        }
        Planes { bundles: planes, codes, majorities, places, n_shared_cells }
    }

    /// Where a feature is; `None` if its codes are not bytes.
    pub fn place(&self, feature: usize) -> Option<&Place> {
        self.places[feature].as_ref()
    }

    /// Whether every feature has a place.
    pub fn hold_all(&self) -> bool {
        self.places.iter().all(Option::is_some)
    }

    /// How many features the table has.
    pub fn n_features(&self) -> usize {
        self.places.len()
    }

    /// How many cells the features that share bytes have together.
    pub fn n_shared_cells(&self) -> usize {
        self.n_shared_cells
    }
}

/// The codes of one plane.
fn lay(bins: &Bins, bundles: &[Bundle]) -> Vec<[u8; PLANE_FEATURES]> {
    let mut plane = filled([0; PLANE_FEATURES], bins.n_rows());
    let parts: Vec<_> = bundles.iter().map(Bundle::parts).collect();
    // Block by block, so that a block's lines stay in cache while all features are laid.
    for (block, rows) in plane.chunks_mut(1024).enumerate() {
        for (place, parts) in parts.iter().enumerate() {
            for (feature, part) in parts {
                let Codes::U8(codes) = &bins.column(*feature).codes else { continue };
                for (row, &code) in rows.iter_mut().zip(&codes[block * 1024..]) {
                    row[place] += part[usize::from(code)];
                }
            }
        }
    }
    plane
}

/// The most frequent byte of each place, if the bytes of a row are others so rarely that a histogram
/// had better look for those. From a sample of rows: it changes nothing but time.
fn majority(codes: &[[u8; PLANE_FEATURES]]) -> Option<[u8; PLANE_FEATURES]> {
    let step = codes.len().div_ceil(SAMPLED_ROWS).max(1);
    let sampled = || codes.iter().step_by(step);
    let mut counts = vec![[0u32; 256]; PLANE_FEATURES];
    for row in sampled() {
        row.iter().zip(&mut counts).for_each(|(&byte, counts)| counts[usize::from(byte)] += 1);
    }
    let most = |place: usize| (0..=255u8).rev().max_by_key(|&b| counts[place][usize::from(b)]);
    let majority = std::array::from_fn(|place| most(place).unwrap_or(0));
    let others =
        |row: &[u8; PLANE_FEATURES]| row.iter().zip(&majority).filter(|(a, b)| a != b).count();
    let n_others: usize = sampled().map(others).sum();
    (n_others as f64 <= MOST_OTHERS * sampled().count() as f64).then_some(majority)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Resolution, Table};
    use crate::run::Run;
    use crate::seed::Seed;

    #[test]
    fn planes_hold_the_columns() {
        let run = Run::quiet(Seed(1), 2).unwrap();
        let column =
            |f: usize| Column::numeric((0..3000).map(|i| ((i * (f + 3)) % 101) as f64).collect());
        let columns = (0..28).map(|f| (format!("x{f}"), column(f))).collect();
        let bins = Table::new(columns).unwrap().bins(Resolution::Fast, &run).unwrap();
        let planes = bins.planes();
        assert_eq!(planes.bundles.iter().map(Vec::len).collect::<Vec<_>>(), [14, 14]);
        for (bundles, codes) in planes.bundles.iter().zip(&planes.codes) {
            for (place, bundle) in bundles.iter().enumerate() {
                let feature = bundle.alone().unwrap();
                let Codes::U8(column) = &bins.column(feature).codes else { panic!() };
                assert!(codes.iter().map(|c| c[place]).eq(column.iter().copied()));
            }
        }
    }

    #[test]
    fn planes_of_many_columns_have_no_room_to_spare() {
        let run = Run::quiet(Seed(1), 2).unwrap();
        let column = |f: usize| Column::numeric((0..40).map(|i| (i + f) as f64).collect());
        let columns = (0..2000).map(|f| (format!("x{f}"), column(f))).collect();
        let bins = Table::new(columns).unwrap().bins(Resolution::Fast, &run).unwrap();
        let bundles = &bins.planes().bundles;
        let (held, room) = bundles.iter().fold((0, 0), |(held, room), of_plane| {
            (held + of_plane.len(), room + of_plane.capacity())
        });
        assert_eq!(held, 2000);
        assert!(room <= 2 * held, "room for {room} bundles, but there are {held}");
    }

    #[test]
    fn columns_that_hardly_vary_are_put_together() {
        let run = Run::quiet(Seed(1), 2).unwrap();
        // Twenty wide columns; among them twenty that are 0 in all but a few rows.
        let value = |f: usize, row: usize| match f % 2 {
            0 => (row * (f + 3) % 101) as f64,
            _ if (row * 7 + f * 13).is_multiple_of(400) => (row % 97) as f64,
            _ => 0.0,
        };
        let column = |f: usize| Column::numeric((0..40_000).map(|row| value(f, row)).collect());
        let columns = (0..40).map(|f| (format!("x{f}"), column(f))).collect();
        let bins = Table::new(columns).unwrap().bins(Resolution::Fast, &run).unwrap();
        let planes = bins.planes();
        let skipped: Vec<bool> = planes.majorities.iter().map(Option::is_some).collect();
        assert_eq!(skipped, [false, false, true]);
        for feature in 0..40 {
            let Place { plane, place, .. } = planes.place(feature).unwrap();
            let Codes::U8(column) = &bins.column(feature).codes else { panic!() };
            assert!(planes.codes[*plane].iter().map(|c| c[*place]).eq(column.iter().copied()));
        }
    }
}

//! Columns of few values that share one byte of a plane.
//!
//! A histogram costs one addition for each row and byte, so columns of few values had better share
//! a byte. Two ways, both exact:
//! - *exclusive*: of some columns at most one differs from its most frequent value in any row, as
//!   after one-hot coding. They make one digit: 0, or which column differs and how (Ke et al. 2017,
//!   but only where not a single row conflicts).
//! - *product*: any columns whose numbers of values multiply to at most 256 are the digits of one
//!   number.
//!
//! What a column adds up to in each bin is read off the byte's cells once for each node
//! (`tree/marginals`).

use std::sync::Arc;

use super::bins::{BinnedColumn, Codes, MISSING_U8};

/// Values of one byte.
const BYTE: usize = 256;
/// A numeric column of more values is ranked faster where it has a byte of its own.
const MOST_NUMBERS: usize = 16;
/// Exclusive sets that a column is tried against, at the most.
const MOST_SETS: usize = 64;

/// The columns of one byte.
#[derive(Debug)]
pub struct Bundle {
    /// The digits, the fastest first. A column alone is one digit.
    pub digits: Vec<Digit>,
}

/// Columns of which at most one differs from its most frequent value in any row.
#[derive(Debug)]
pub struct Digit {
    /// The columns.
    pub members: Vec<Member>,
    /// How many values the digit has.
    pub radix: usize,
}

/// One column of a bundle.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// The column.
    pub feature: usize,
    /// How many bins it has, missing aside.
    pub n_bins: usize,
    /// How many codes it has: its bins, and one more for missing if some are.
    pub n_codes: usize,
    /// Its most frequent code.
    pub majority: usize,
    /// How many rows have others.
    pub n_others: usize,
    /// The digit of its first other code; the rest follow.
    pub first: usize,
}

impl Bundle {
    /// The byte columns among `columns` in bundles: columns with a byte of their own first.
    pub fn all(columns: &[Arc<BinnedColumn>], n_rows: usize) -> Vec<Bundle> {
        let (mut alone, mut sets) = (Vec::new(), Vec::new());
        for (feature, column) in columns.iter().enumerate() {
            let Codes::U8(codes) = &column.codes else { continue };
            let member = Member::of(feature, column, codes);
            let most = if column.is_categorical() { BYTE / 2 } else { MOST_NUMBERS };
            if member.n_codes <= most {
                join(&mut sets, member, codes, n_rows);
            } else {
                alone.push(Bundle { digits: vec![Digit::of(member)] });
            }
        }
        let digits = sets.into_iter().map(|set| set.digit).collect();
        let (single, mut shared): (Vec<Bundle>, Vec<Bundle>) =
            products(digits).into_iter().partition(|bundle| bundle.alone().is_some());
        alone.extend(single);
        alone.sort_by_key(|bundle| bundle.alone());
        alone.append(&mut shared);
        alone
    }

    /// The column, if there is but one. Its codes are then the byte's.
    pub fn alone(&self) -> Option<usize> {
        match self.digits.as_slice() {
            [Digit { members, .. }] if members.len() == 1 => Some(members[0].feature),
            _ => None,
        }
    }

    /// The columns.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.digits.iter().flat_map(|digit| &digit.members)
    }

    /// In how many rows, at the most, the byte is not its most frequent one.
    pub fn n_others(&self) -> usize {
        self.members().map(|member| member.n_others).sum()
    }

    /// Each column with what each of its codes adds to the byte.
    pub fn parts(&self) -> Vec<(usize, [u8; BYTE])> {
        if let Some(feature) = self.alone() {
            return vec![(feature, std::array::from_fn(|code| code as u8))];
        }
        let mut parts = Vec::new();
        let mut weight = 1;
        for digit in &self.digits {
            for member in &digit.members {
                let mut part = [0; BYTE];
                for code in (0..member.n_codes).filter(|&code| code != member.majority) {
                    let byte = if code == member.n_bins { usize::from(MISSING_U8) } else { code };
                    part[byte] = (weight * member.digit(code)) as u8;
                }
                parts.push((member.feature, part));
            }
            weight *= digit.radix;
        }
        parts
    }
}

impl Digit {
    fn of(member: Member) -> Digit {
        Digit { members: vec![member], radix: member.n_codes }
    }
}

impl Member {
    fn of(feature: usize, column: &BinnedColumn, codes: &[u8]) -> Member {
        let mut counts = [0usize; BYTE];
        codes.iter().for_each(|&code| counts[usize::from(code)] += 1);
        let n_bins = column.n_bins();
        let n_missing = counts[usize::from(MISSING_U8)];
        let n_codes = n_bins + usize::from(n_missing > 0);
        let count = |code: usize| if code == n_bins { n_missing } else { counts[code] };
        // Of equals the first; a column of no rows has no codes at all.
        let majority = (0..n_codes).rev().max_by_key(|&code| count(code)).unwrap_or(0);
        let n_others = codes.len() - counts.iter().max().copied().unwrap_or(0);
        Member { feature, n_bins, n_codes: n_codes.max(1), majority, n_others, first: 1 }
    }

    /// The digit of a code; 0 for the most frequent one.
    pub fn digit(&self, code: usize) -> usize {
        match code.cmp(&self.majority) {
            std::cmp::Ordering::Less => self.first + code,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => self.first + code - 1,
        }
    }
}

/// A digit on its way, with the rows in which one of its columns differs from its most frequent
/// value; `None` once they are too many for another column to be worth a try.
struct Exclusive {
    digit: Digit,
    differs: Option<Vec<u64>>,
}

/// Adds a column to the first set that it does not conflict with, or to a new one.
fn join(sets: &mut Vec<Exclusive>, mut member: Member, codes: &[u8], n_rows: usize) {
    let majority =
        if member.majority == member.n_bins { MISSING_U8 } else { member.majority as u8 };
    let word = |codes: &[u8]| {
        let bits = codes.iter().enumerate().map(|(bit, &c)| u64::from(c != majority) << bit);
        bits.fold(0, |word, bit| word | bit)
    };
    let differs: Vec<u64> = codes.chunks(64).map(word).collect();
    let is_sparse = 2 * member.n_others <= n_rows;
    if is_sparse {
        let fits = |set: &&mut Exclusive| {
            let room = set.digit.radix + member.n_codes - 1 <= BYTE;
            let apart = |rows: &Vec<u64>| rows.iter().zip(&differs).all(|(a, b)| a & b == 0);
            room && set.differs.as_ref().is_some_and(apart)
        };
        if let Some(set) = sets.iter_mut().rev().take(MOST_SETS).rev().find(fits) {
            member.first = set.digit.radix;
            set.digit.radix += member.n_codes - 1;
            set.digit.members.push(member);
            let rows = set.differs.iter_mut().flatten().zip(&differs);
            rows.for_each(|(a, b)| *a |= b);
            return;
        }
    }
    sets.push(Exclusive { digit: Digit::of(member), differs: is_sparse.then_some(differs) });
}

/// Digits put together while their radices multiply to at most 256: the largest first, each into
/// the first bundle that has room.
fn products(mut digits: Vec<Digit>) -> Vec<Bundle> {
    digits.sort_by_key(|digit| std::cmp::Reverse(digit.radix));
    let mut bundles: Vec<(Bundle, usize)> = Vec::new();
    for digit in digits {
        let radix = digit.radix;
        match bundles.iter_mut().find(|(_, filled)| *filled * radix <= BYTE) {
            Some((bundle, filled)) => {
                bundle.digits.push(digit);
                *filled *= radix;
            }
            None => bundles.push((Bundle { digits: vec![digit] }, radix)),
        }
    }
    bundles.into_iter().map(|(bundle, _)| bundle).collect()
}

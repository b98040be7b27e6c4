//! Rows in parts, each of which one thread keeps to itself.
//!
//! To write memory that another core has just written takes several times as long as to write
//! one's own. So each thread has a range of rows, the same from tree to tree: while nodes are big
//! it takes their gradients, divides their entries and sums them, and nobody else does. Sums are
//! of integers, so that the number of parts changes nothing but time.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use smallvec::SmallVec;

use super::kernel::partition::Side;
use super::partition::partition;
use super::splitter::Test;
use super::statistic::{Entry, row_of};
use crate::data::Column;
use crate::data::bins::Codes;

/// Entries in parts, each part's in row order, one part after the other.
#[derive(Debug, Default)]
pub struct Parts {
    /// The entries.
    pub entries: Vec<Entry>,
    /// How many entries each part has.
    pub lens: Vec<usize>,
}

impl Parts {
    /// One part.
    pub fn whole(entries: Vec<Entry>) -> Parts {
        let lens = vec![entries.len()];
        Parts { entries, lens }
    }
}

/// Ranges of rows, one for each of `n_parts`, that begin at multiples of `step`.
pub fn ranges(n_rows: usize, n_parts: usize, step: usize) -> Vec<Range<usize>> {
    let bound = |part: usize| (n_rows * part / n_parts).next_multiple_of(step).min(n_rows);
    (0..n_parts)
        .map(|part| bound(part)..if part + 1 == n_parts { n_rows } else { bound(part + 1) })
        .collect()
}

/// Cuts a list into pieces of these lengths.
pub fn cut<T>(mut list: &mut [T], lens: impl IntoIterator<Item = usize>) -> Vec<&mut [T]> {
    let piece = |len: usize| {
        let (piece, rest) = std::mem::take(&mut list).split_at_mut(len);
        list = rest;
        piece
    };
    lens.into_iter().map(piece).collect()
}

/// How many entries the parts of a node have together.
pub fn n_rows(parts: &[&[Entry]]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}

/// Does each task on the thread of its number; the results are in the order of the tasks.
pub fn on_each_thread<T: Send, R: Send>(tasks: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    if tasks.len() != rayon::current_num_threads() {
        return tasks.into_par_iter().map(&work).collect();
    }
    if tasks.len() == 1 {
        return tasks.into_iter().map(work).collect();
    }
    let tasks: Vec<Mutex<Option<T>>> = tasks.into_iter().map(|t| Mutex::new(Some(t))).collect();
    let take = |thread: usize| tasks[thread].lock().unwrap_or_else(PoisonError::into_inner).take();
    let results = rayon::broadcast(|thread| take(thread.index()).map(&work));
    results.into_iter().flatten().collect()
}

/// Something of each part of a node. Nearly all nodes have one part, and those are many.
pub type OfParts<T> = SmallVec<[T; 1]>;

/// The rows of a node, in parts.
pub struct NodeRows<'e> {
    parts: OfParts<PartRows<'e>>,
    /// The thread that divided them last, if it was one alone.
    owner: Option<usize>,
}

/// The rows of a node in one part, and as much room to sort them in. One of the two is their home,
/// where the rows of a leaf must be in the end.
pub struct PartRows<'e> {
    entries: &'e mut [Entry],
    scratch: &'e mut [Entry],
    are_home: bool,
}

impl<'e> NodeRows<'e> {
    /// All rows, at home.
    pub fn all(entries: &'e mut [Entry], scratch: &'e mut [Entry], lens: &[usize]) -> NodeRows<'e> {
        let lens = || lens.iter().copied();
        let parts = cut(entries, lens()).into_iter().zip(cut(scratch, lens()));
        let part = |(entries, scratch)| PartRows { entries, scratch, are_home: true };
        NodeRows::from_parts(parts.map(part).collect())
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.parts.iter().map(|part| part.entries.len()).sum()
    }

    /// How many parts.
    pub fn n_parts(&self) -> usize {
        self.parts.len()
    }

    /// The thread that knows these rows best.
    pub fn owner(&self) -> Option<usize> {
        self.owner
    }

    /// How many rows in each part.
    pub fn lens(&self) -> Vec<usize> {
        self.parts.iter().map(|part| part.entries.len()).collect()
    }

    /// The entries of each part.
    pub fn entries(&self) -> OfParts<&[Entry]> {
        self.parts.iter().map(|part| &*part.entries).collect()
    }

    /// The parts.
    pub fn into_parts(self) -> Vec<PartRows<'e>> {
        self.parts.into_vec()
    }

    /// The node whose parts these are.
    pub fn from_parts(parts: Vec<PartRows<'e>>) -> NodeRows<'e> {
        NodeRows { parts: parts.into(), owner: None }
    }

    /// Divides the rows into those that go left and right.
    pub fn divide(self, test: &Test, values: (&Codes, &Column)) -> (NodeRows<'e>, NodeRows<'e>) {
        let is_shared = self.parts.len() == 1;
        let sides = self.parts.into_iter().map(|part| part.divide(test, values, is_shared));
        let (left, right) = sides.unzip();
        let owner = rayon::current_thread_index();
        (NodeRows { parts: left, owner }, NodeRows { parts: right, owner })
    }

    /// Undoes the division of a node into `left` and `right`: its rows come home in order.
    pub fn rejoin(left: NodeRows<'_>, right: NodeRows<'_>) {
        left.parts
            .into_iter()
            .zip(right.parts)
            .for_each(|(left, right)| PartRows::rejoin(left, right));
    }

    /// Brings the rows home.
    pub fn go_home(self) {
        self.parts.into_iter().for_each(PartRows::settle);
    }
}

impl<'e> PartRows<'e> {
    /// The entries.
    pub fn entries(&self) -> &[Entry] {
        self.entries
    }

    /// Divides the rows. The side that stays in place is chosen such that both sides find their
    /// home, the left one's before the right one's, in the other buffer or under their feet.
    pub fn divide(
        self,
        test: &Test,
        values: (&Codes, &Column),
        is_shared: bool,
    ) -> (PartRows<'e>, PartRows<'e>) {
        let PartRows { entries, scratch, are_home } = self;
        let stays = if are_home { Side::Left } else { Side::Right };
        let n_staying = partition(entries, scratch, test, values, (stays, is_shared));
        let n_moving = entries.len() - n_staying;
        let (staying, room_for_moved) = entries.split_at_mut(n_staying);
        let (moved, room_for_staying) = scratch.split_at_mut(n_moving);
        let staying = PartRows { entries: staying, scratch: room_for_staying, are_home };
        let moved = PartRows { entries: moved, scratch: room_for_moved, are_home: !are_home };
        if are_home { (staying, moved) } else { (moved, staying) }
    }

    /// Brings the rows of a leaf home.
    pub fn settle(self) {
        self.go_home();
    }

    fn go_home(self) -> &'e mut [Entry] {
        if self.are_home {
            return self.entries;
        }
        self.scratch.copy_from_slice(self.entries);
        self.scratch
    }

    fn rejoin(left: PartRows<'_>, right: PartRows<'_>) {
        let (left, right) = (left.go_home(), right.go_home());
        let mut rows = left.to_vec();
        rows.extend_from_slice(right);
        // Two sorted runs, which this sort merges in one pass.
        rows.sort_by_key(|&e| row_of(e));
        let (first, second) = rows.split_at(left.len());
        left.copy_from_slice(first);
        right.copy_from_slice(second);
    }
}

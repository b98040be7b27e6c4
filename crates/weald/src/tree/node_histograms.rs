//! The histograms that a node keeps, of packed pairs or of vectors, as the statistic has it.

use super::histogram::{Histograms, Pool, Ranking};
use super::kernel::scan::ScanParameters;
use super::statistic::{Entry, Statistic};
use super::vector_histograms::{VectorHistograms, VectorPool};
use crate::data::planes::Planes;

/// The histograms of all byte features of a node.
#[derive(Debug)]
pub enum NodeHistograms {
    /// Of packed pairs.
    Packed(Histograms),
    /// Of vectors.
    Vectors(VectorHistograms),
}

/// Histogram memory that is handed from node to node.
#[derive(Debug, Default)]
pub struct Pools {
    packed: Pool,
    vectors: VectorPool,
}

impl NodeHistograms {
    /// Whether nodes keep histograms of such sums.
    pub fn are_kept<T: Statistic>(statistic: &T) -> bool {
        statistic.packed_reach().is_some() || statistic.vectors().is_some()
    }

    /// Sums a node's rows, which may come in several parts.
    pub fn of<T: Statistic>(
        statistic: &T,
        planes: &Planes,
        parts: &[&[Entry]],
        pools: &Pools,
    ) -> NodeHistograms {
        match statistic.vectors() {
            None => NodeHistograms::Packed(Histograms::of(planes, parts, &pools.packed)),
            Some(vectors) => {
                let pool = &pools.vectors;
                NodeHistograms::Vectors(VectorHistograms::of(vectors, planes, parts, pool))
            }
        }
    }

    /// Sums the rows of one part of a node, on this thread alone.
    pub fn of_part<T: Statistic>(
        statistic: &T,
        planes: &Planes,
        entries: &[Entry],
        pools: &Pools,
    ) -> NodeHistograms {
        match statistic.vectors() {
            None => NodeHistograms::Packed(Histograms::of_part(planes, entries, &pools.packed)),
            Some(vectors) => {
                let pool = &pools.vectors;
                NodeHistograms::Vectors(VectorHistograms::of_part(vectors, planes, entries, pool))
            }
        }
    }

    /// What all rows add up to.
    pub fn total<T: Statistic>(&self, statistic: &T) -> Option<T::Sum> {
        match self {
            NodeHistograms::Packed(histograms) => histograms.total(statistic),
            NodeHistograms::Vectors(histograms) => {
                let vectors = statistic.vectors()?;
                let mut total = statistic.zero();
                let cells = histograms.cells(vectors, 0, 0).next()?;
                let cells = cells.chunks_exact(vectors.n_blocks());
                cells.for_each(|cell| statistic.add_blocks(cell, &mut total));
                Some(total)
            }
        }
    }

    /// Ranks the features of this node, where that is done ahead.
    pub fn rank(&self, n_codes: &[usize], parameters: &ScanParameters) -> Option<Ranking> {
        match self {
            NodeHistograms::Packed(histograms) => Some(histograms.rank(n_codes, parameters)),
            NodeHistograms::Vectors(_) => None,
        }
    }

    /// Adds up the histograms of a node's parts.
    pub fn merged(parts: Vec<NodeHistograms>, pools: &Pools) -> NodeHistograms {
        let (packed, vectors) = sorted(parts);
        if vectors.is_empty() {
            NodeHistograms::Packed(Histograms::merged(packed, &pools.packed))
        } else {
            NodeHistograms::Vectors(VectorHistograms::merged(vectors, &pools.vectors))
        }
    }

    /// Becomes the histograms of a child's sibling, given those of the child's parts. Returns the
    /// child's, and how both rank the features, child first, where they can.
    pub fn become_sibling(
        &mut self,
        parts: Vec<NodeHistograms>,
        n_codes: &[usize],
        ranked: Option<(ScanParameters, ScanParameters)>,
        pools: &Pools,
    ) -> (NodeHistograms, Option<(Ranking, Ranking)>) {
        let (packed, vectors) = sorted(parts);
        match self {
            NodeHistograms::Packed(parent) => {
                let (child, rankings) =
                    parent.become_sibling(packed, n_codes, ranked, &pools.packed);
                (NodeHistograms::Packed(child), rankings)
            }
            NodeHistograms::Vectors(parent) => {
                let child = VectorHistograms::merged(vectors, &pools.vectors);
                parent.become_sibling(&child);
                (NodeHistograms::Vectors(child), None)
            }
        }
    }

    /// Gives the memory back.
    pub fn release(self, pools: &Pools) {
        match self {
            NodeHistograms::Packed(histograms) => histograms.release(&pools.packed),
            NodeHistograms::Vectors(histograms) => histograms.release(&pools.vectors),
        }
    }
}

/// The histograms of both kinds; one list is empty.
fn sorted(parts: Vec<NodeHistograms>) -> (Vec<Histograms>, Vec<VectorHistograms>) {
    let (mut packed, mut vectors) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            NodeHistograms::Packed(histograms) => packed.push(histograms),
            NodeHistograms::Vectors(histograms) => vectors.push(histograms),
        }
    }
    (packed, vectors)
}

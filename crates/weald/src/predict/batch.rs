//! Many rows in small trees: rows become bytes, and bytes go through the trees 64 rows at a time.

use super::planes::Planes;
use crate::tree::kernel::mux::{LANE_ROWS, Lane, Mux, Slots, Step, Test};
use crate::tree::kernel::stumps::Stumps;
use crate::tree::walk::Reader;
use crate::tree::{Rule, Tree};

/// Rows that go through all trees while they are at hand in the cache.
const BLOCK: usize = 4 * LANE_ROWS;

/// Trees that are ready for bytes.
#[derive(Debug)]
pub struct Batch {
    planes: Planes,
    program: Program,
}

#[derive(Debug)]
enum Program {
    Mux(Mux),
    Stumps(Stumps),
}

/// For which trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// At most 256 leaves.
    Mux,
    /// At most one split, on a number.
    Stumps,
}

impl Batch {
    /// Prepares trees.
    pub fn of(kind: Kind, trees: &[Tree]) -> Batch {
        let planes = Planes::of(trees);
        let program = match kind {
            Kind::Mux => Program::Mux(mux(trees, &planes)),
            Kind::Stumps => Program::Stumps(stumps(trees, &planes)),
        };
        Batch { planes, program }
    }

    /// Adds to rows of scores, the first of which is row `first` of the table.
    pub fn add(&self, columns: &[Reader<'_>], first: usize, scores: &mut [f64], width: usize) {
        let n_lanes = match &self.program {
            Program::Mux(mux) => mux.n_lanes(),
            Program::Stumps(_) => self.planes.len().max(1),
        };
        let mut lanes = vec![Lane::ZERO; BLOCK / LANE_ROWS * n_lanes];
        let mut sums = vec![0.0; BLOCK * width];
        let mut slots = Slots::default();
        for (block, scores) in scores.chunks_mut(BLOCK * width).enumerate() {
            let (first, n_rows) = (first + block * BLOCK, scores.len() / width);
            let n_padded = n_rows.next_multiple_of(LANE_ROWS);
            let lanes = &mut lanes[..n_padded / LANE_ROWS * n_lanes];
            for (from, lanes) in
                (0..n_rows).step_by(LANE_ROWS).zip(lanes.chunks_mut(n_lanes.max(1)))
            {
                self.planes.read(columns, first + from, LANE_ROWS.min(n_rows - from), lanes);
            }
            // The scores of each output side by side; the rows past the last one do no harm.
            let sums = &mut sums[..n_padded * width];
            for (output, sums) in sums.chunks_exact_mut(n_padded).enumerate() {
                let scores = scores[output..].iter().step_by(width);
                sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum = *score);
            }
            match &self.program {
                Program::Mux(mux) => mux.add(lanes, &mut slots, sums, width),
                Program::Stumps(stumps) => stumps.add(lanes, sums, width),
            }
            for (output, sums) in sums.chunks_exact(n_padded).enumerate() {
                let scores = scores[output..].iter_mut().step_by(width);
                scores.zip(sums).for_each(|(score, sum)| *score = *sum);
            }
        }
    }
}

fn mux(trees: &[Tree], planes: &Planes) -> Mux {
    let mut mux = Mux::new(planes.len(), trees.first().map_or(1, |tree| tree.width));
    let mut test = planes.tests();
    for tree in trees {
        let steps =
            tree.nodes.iter().map(|node| Step { test: test(&node.rule), right: node.right });
        let steps: Vec<Step> = steps.collect();
        let leaves = (0..tree.nodes.len()).filter(|&at| tree.is_leaf(at));
        let values: Vec<f64> = leaves.flat_map(|at| tree.value(at)).copied().collect();
        mux.push(&steps, &values);
    }
    mux
}

/// A tree without a split becomes a stump with the same answer on both sides.
fn stumps(trees: &[Tree], planes: &Planes) -> Stumps {
    // If no tree splits there is no plane, but a test needs one.
    let mut stumps = Stumps::new(planes.len().max(1));
    let mut test = planes.tests();
    for tree in trees {
        match (test(&tree.nodes[0].rule), tree.nodes[0].rule == Rule::Leaf) {
            (Test::Above { plane, bound }, false) => {
                stumps.push(plane, bound, tree.values[1], tree.values[2]);
            }
            _ => stumps.push(0, 0, tree.values[0], tree.values[0]),
        }
    }
    stumps
}

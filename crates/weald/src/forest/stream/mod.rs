//! Completely random trees over the last rows of a stream.
//!
//! A forest that learns row by row, forgets row by row, and never grows: [`StreamingForest`] says how
//! many trees, how long a row is remembered, how many rows a tree holds; [`StreamingModel`] takes
//! rows, tells of each how anomalous it was before it came (Liu, Ting & Zhou 2008), and how dense the
//! window is anywhere. To prefer over an isolation forest where rows keep coming, or where what is
//! normal changes: after one window only the new normal is known.
//!
//! Each row joins each tree with the probability `sample_rows / window`, by a draw of its number, and
//! leaves it when it leaves the window. At every moment a tree is distributed *exactly* as if it had
//! just been grown on the rows that it holds.
//!
//! # Why that is so
//! A completely random tree splits a node by one of the features `V` that vary in it, all alike, at a
//! cut uniform in the feature's range, of length `l_f`. The density of the split `(f, t)` is
//!
//! ```text
//! 1 / (|V| l_f)     for f in V and t in f's range                                       (1)
//! ```
//!
//! A row `x` that comes widens ranges to `l'_f >= l_f`, and `V` to `V'`. The node's split `(f, t)` is
//! kept with the probability
//!
//! ```text
//! a_f = |V| l_f / (|V'| l'_f) <= 1                                                      (2)
//! ```
//!
//! and then it has the density `1 / (|V'| l'_f)`, as it should; `x` goes on to the child on its side.
//! The rest of the density lies where ranges were extended: a feature is drawn by
//! `e_f = (l'_f - l_f) / l'_f`, and a cut in what is new of its range. On one side of it is `x` alone,
//! on the other are the rows that the node had.
//!
//! These rows need a tree, and the one that they have had is not yet right: that it was *not* kept
//! makes the features likely that (2) keeps seldom. Its root's feature has the law
//!
//! ```text
//! (1 - a_f) / sum over g in V of (1 - a_g)     instead of     1 / |V|                   (3)
//! ```
//!
//! and everything below the root is as it should be. So the root stays with the probability with
//! which the two laws can be made to agree; otherwise its feature is drawn from what the wanted law
//! has in excess, and the tree of these rows is grown again. They are few on the mean, unless columns
//! have heavy tails: there single rows are split from many.
//!
//! A row that goes takes the same steps back. Splits that still divide the other rows stay. One that
//! divided `x` from all of them ends; the tree of the others comes up, and where (3) is to be had of
//! `1 / |V|`: for of the splits of the smaller node, (1) without `x`, the share `a_f / |V|` of a feature
//! comes from splits that stay, and the share `(1 - a_f) / |V|` is lacking.
//!
//! Where features are drawn in proportion to their range, as in Mondrian forests (Lakshminarayanan,
//! Roy & Teh 2014) and robust random cut forests (Guha, Mishra, Roy & Schrijvers 2016), `a_f` is the
//! same for all features, (3) is `1 / |V|`, and nothing is ever grown again. Drawing features alike
//! costs that, and makes trees independent of the units of columns, as isolation forests are.
//!
//! # What else
//! - Nothing is drawn before it is needed: a node that scores do not go below, and whose rows are few
//!   enough for densities, is a leaf, and what is below it is drawn when it must be known. Whether a
//!   node is one depends on its depth and its rows, never on what has been drawn below it.
//! - Missing values widen nothing. Each split has a side for them, drawn by the shares of the rows
//!   that have the value; one that isolates a row sends them to the others. With missing values a
//!   tree depends on the order in which its rows came, through these sides alone.
//! - A level of a category is a number in each tree, a hash of its name: levels are cut like numbers,
//!   in another order in each tree, and none is ever unknown.

mod arrival;
mod bounds;
mod density;
mod departure;
mod depth;
mod growth;
mod members;
mod model;
mod parts;
mod streaming_forest;
mod tree;
mod widening;
mod window;

pub use model::StreamingModel;
pub use parts::{LEAF, StreamParts, TreeParts};
pub use streaming_forest::StreamingForest;

#[cfg(test)]
mod tests;

//! Committees that learn from one answer after the other: experts advise, a master decides, then
//! the truth is told.
//!
//! Nothing is assumed of the stream: an adversary may choose it. What is proved instead is that the
//! master is never much worse than the best expert, and [`Standing`] tells both sides after each
//! step. To prefer over batch committees where rows come in order and what is right may be known
//! only afterwards; over [`forest::stream`](crate::forest::stream) where there is a target.
//!
//! | master | it says | to prefer | bound |
//! |---|---|---|---|
//! | [`Halving`] | the vote of those that never erred | one expert is perfect | `log2 n` mistakes |
//! | [`WeightedMajority`] | the weighted vote | no expert is perfect | `(k log2 1/β + log2 n) / log2 2/(1+β)` mistakes |
//! | [`RandomizedWeightedMajority`] | what an expert drawn by weight says | the factor of two above hurts | `(k ln 1/β + ln n) / (1-β)` expected mistakes |
//! | [`Hedge`] | a share of trust for each expert | losses lie between 0 and 1 | `(L ln 1/β + ln n) / (1-β)` loss |
//! | [`ExponentiallyWeightedAverage`] | the weighted mean | numbers within a known range | `L + 2 (b-a)² ln n` squared loss |
//!
//! Here `n` is the number of experts, `k` the mistakes of the best so far and `L` its loss.
//!
//! Votes are pluralities, and the bounds of mistakes hold for any number of classes. For when the
//! master errs, the class that it says has at least the weight of the right one; so the right class
//! has at most half of the weight, and at least the other half is multiplied by β. That is all that
//! the proof for two classes uses.
//!
//! # An expert that says nothing
//! It has no say at that step, and is charged the greatest loss there is: a mistake, 1, or
//! `(b-a)²`. So every bound stays true: the share of the weight that is charged, with the silent,
//! is at least the share among those who speak, which is what the master suffers by. If nobody
//! speaks, the master says the lowest class, or the middle of the range.
//!
//! # Weights do not vanish
//! What is kept of experts are mistakes and losses as integers; weights are `β^(m_i - m)`, with `m`
//! the least among those who speak. A stream of any length leaves the best with the weight 1. Votes
//! are summed as integers, so that a tie is a tie: it goes to the lowest class.
//!
//! The papers: Barzdin & Freivald 1972 (halving), Littlestone & Warmuth 1994 (weighted majority,
//! also randomised), Freund & Schapire 1997 (Hedge), Cesa-Bianchi & Lugosi 2006, sections 2 and 3.3
//! (exponentially weighted averages).

mod expert;
mod halving;
mod hedge;
mod losses;
mod prequential;
mod randomized;
mod standing;
mod tally;
mod votes;
mod weighted_average;
mod weighted_majority;

pub use expert::{Expert, Master, Panel};
pub use halving::{Halving, HalvingMaster};
pub use hedge::{Hedge, HedgeMaster};
pub use prequential::prequential;
pub use randomized::{RandomizedMaster, RandomizedWeightedMajority};
pub use standing::Standing;
pub use weighted_average::{AverageMaster, ExponentiallyWeightedAverage};
pub use weighted_majority::{MajorityMaster, WeightedMajority};

#[cfg(test)]
mod tests;

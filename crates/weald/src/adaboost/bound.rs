//! What the product of the normalisers bounds.
//!
//! In each variant it is the mean of something that each round multiplies, so that after the last
//! round it is the mean of an exponential of the scores, whatever the coefficients were: capped,
//! damped by a learning rate, or of members that are fitted to rows drawn. The error is bounded
//! where that exponential is never small for a row that is classified wrongly.

use super::algorithm::Algorithm;
use super::record::Round;
use super::voice::Voice;

/// How near to one half an edge and an error add up in M1: by another number in SAMME, if there are
/// three classes or more.
const NEAR: f64 = 1e-9;

impl Algorithm {
    /// By what the product of the normalisers is multiplied to bound the training error; `None` where
    /// no multiple of it does. Below, `F` is the sum of what the members say.
    pub fn bound_factor(self, n_classes: usize) -> Option<f64> {
        let k = n_classes as f64;
        match self {
            // The mean of exp(-yF), which is at least 1 where the sign of F is wrong.
            Algorithm::Binary | Algorithm::Star { .. } => Some(1.0),
            // The mean of exp(1/2 sum of (say where wrong - say where right)): a class that gets at
            // least the votes of the right one got them where the right one got none.
            Algorithm::M1 => Some(1.0),
            // For two classes M1, and with shares exp(-yF). For more the right class may have a large
            // score, and its row little weight, and another one a larger score still.
            Algorithm::Auto | Algorithm::Samme | Algorithm::Real => (k <= 2.0).then_some(1.0),
            // The mean over rows and classes l of exp(-Y[l] F(l)): the Hamming loss is at most that.
            // Where F(l) >= F(y) for a wrong l, exp(-F(y)) + exp(F(l)) >= 2 among the k of a row.
            // For two classes Gentle has one score, and exp(-yF).
            Algorithm::Mh | Algorithm::Gentle => Some((0.5 * k).max(1.0)),
            // The mean over rows and wrong classes l of exp(1/2 (F(l) - F(y))), which for one of the
            // k - 1 of a row is at least 1 where the row is wrong.
            Algorithm::M2 | Algorithm::Mr => Some((k - 1.0).max(1.0)),
            // The mean logistic loss in bits: where the right class has not the largest share, its
            // share is at most 1/2.
            Algorithm::Logit => Some(1.0),
            Algorithm::R | Algorithm::R2 { .. } | Algorithm::Rt { .. } => None,
        }
    }
}

/// The same where it is not known which of the variants with such a voice made the rounds: what holds
/// for all of them.
pub fn bound_factor_of_any(voice: Voice, n_classes: usize, rounds: &[Round]) -> Option<f64> {
    match voice {
        Voice::Sign => Algorithm::Binary.bound_factor(n_classes),
        Voice::Vote => {
            let is_of_m1 = |round: &Round| (round.error + round.edge - 0.5).abs() < NEAR;
            match rounds.iter().all(is_of_m1) {
                true => Algorithm::M1.bound_factor(n_classes),
                false => Algorithm::Samme.bound_factor(n_classes),
            }
        }
        Voice::LogShares { .. } => Algorithm::Real.bound_factor(n_classes),
        Voice::Confidences => Algorithm::Mr.bound_factor(n_classes), // more than that of MH
        Voice::Plausibilities => Algorithm::M2.bound_factor(n_classes),
        Voice::Numbers => Algorithm::Gentle.bound_factor(n_classes), // at least that of Logit
        Voice::Median | Voice::Mean => None,
    }
}

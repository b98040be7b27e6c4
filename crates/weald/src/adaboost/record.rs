//! What is kept of each round.

/// One round of boosting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// The weighted error of the round's hypothesis; for numbers its weighted loss.
    pub error: f64,
    /// How much better than chance that is: the edge.
    pub edge: f64,
    /// What its say weighs.
    pub coefficient: f64,
    /// What the weights add up to before they are normalised again. What the product of these bounds
    /// is for the variant to say: [`bounds`](super::BoostedModel::bounds).
    pub normaliser: f64,
    /// How far the round can move the scores of a row apart, where there are scores; margins are by
    /// the sum of these.
    pub reach: f64,
    /// The training error of all members so far; of numbers there is none.
    pub training_error: Option<f64>,
    /// The smallest margin of all training rows so far; of numbers there is none.
    pub min_margin: Option<f64>,
}

/// The products of the normalisers up to each round, times a factor.
pub fn running_products(rounds: &[Round], factor: f64) -> Vec<f64> {
    let product = |so_far: &mut f64, round: &Round| {
        *so_far *= round.normaliser;
        Some(*so_far)
    };
    rounds.iter().scan(factor, product).collect()
}

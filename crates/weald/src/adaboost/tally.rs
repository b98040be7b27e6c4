//! How the training rows fare, round after round: their scores, errors and margins.

use std::ops::Range;

use super::record::Round;
use super::voice::{SIGNS, Voice};
use crate::data::{ClassLabels, Distribution, Sample};
use crate::error::Result;
use crate::run::{in_stretches, of_stretches};
use crate::scores::{Scores, argmax};

/// Rows that a thread takes at a time.
const STRETCH: usize = 1 << 14;

/// The scores of the training rows so far.
pub(super) struct Tally<'a> {
    labels: &'a ClassLabels,
    weights: Distribution,
    voice: Voice,
    scores: Scores,
    /// The sum of the rounds' reaches.
    reach: f64,
}

impl<'a> Tally<'a> {
    /// No round yet.
    pub fn new(sample: &Sample<'a>, labels: &'a ClassLabels, voice: Voice) -> Result<Tally<'a>> {
        let width = voice.n_scores(labels.n_classes());
        let scores = Scores::zeros(sample.n_rows(), width);
        let weights = Distribution::of(sample.weights, sample.n_rows())?;
        Ok(Tally { labels, weights, voice, scores, reach: 0.0 })
    }

    /// The scores so far.
    pub fn scores(&self) -> &Scores {
        &self.scores
    }

    /// Adds a vote for the class of each row.
    pub fn add_votes(&mut self, coefficient: f64, classes: &[u32]) {
        let (voice, width) = (self.voice, self.scores.width());
        let signed = [-coefficient, coefficient];
        in_stretches(self.scores.values_mut(), STRETCH * width, |stretch, scores| {
            let classes = &classes[stretch * STRETCH..];
            match voice {
                Voice::Sign => scores
                    .iter_mut()
                    .zip(classes)
                    .for_each(|(score, &class)| *score += signed[class as usize & 1]),
                _ => scores
                    .chunks_exact_mut(width)
                    .zip(classes)
                    .for_each(|(scores, &class)| scores[class as usize] += coefficient),
            }
        });
        self.reach += coefficient;
    }

    /// Adds what the members of a round say.
    pub fn add_answers(&mut self, coefficient: f64, answers: &[Scores]) {
        let mut added = vec![0.0; self.scores.width()];
        let mut reach: f64 = 0.0;
        for row in 0..self.scores.n_rows() {
            added.fill(0.0);
            for (index, answers) in answers.iter().enumerate() {
                self.voice.add(index, coefficient, answers.row(row), &mut added);
            }
            if self.weights.units()[row] > 0 {
                reach = reach.max(spread(&added));
            }
            let scores = self.scores.row_mut(row).iter_mut();
            scores.zip(&added).for_each(|(score, x)| *score += x);
        }
        self.reach += reach;
    }

    /// The round's record, given what it knows of itself.
    pub fn record(&self, round: Round, before: f64) -> Round {
        let codes = self.labels.codes();
        let (training_error, least) = match (self.scores.width(), self.labels.n_classes()) {
            (1, 2) => {
                let scores = self.scores.values();
                let is_wrong = |row: usize| (scores[row] > 0.0) != (codes[row] == 1);
                let signed = |row: usize| scores[row] * SIGNS[usize::from(codes[row] == 1)];
                (self.weights.share(is_wrong), self.least(signed))
            }
            _ => {
                let class = |row: usize| codes[row] as usize;
                let is_wrong = |row: usize| argmax(self.scores.row(row)) != class(row);
                let lead = |row: usize| lead(self.scores.row(row), class(row));
                (self.weights.share(is_wrong), self.least(lead))
            }
        };
        let min_margin = if self.reach > 0.0 { least / self.reach } else { 0.0 };
        Round {
            reach: self.reach - before,
            training_error: Some(training_error),
            min_margin: Some(min_margin),
            ..round
        }
    }

    /// The error of one class for all rows.
    pub fn error_of(&self, class: usize) -> f64 {
        self.weights.share(|row| self.labels.codes()[row] as usize != class)
    }

    /// How far the rounds so far can move the scores of a row apart.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The least of a number of each row that counts.
    fn least(&self, number: impl Fn(usize) -> f64 + Sync) -> f64 {
        let units = self.weights.units();
        let number = |row: usize| if units[row] > 0 { number(row) } else { f64::INFINITY };
        let lesser = |a: f64, b: f64| if b < a { b } else { a };
        let least = |rows: Range<usize>| rows.map(number).fold(f64::INFINITY, lesser);
        of_stretches(units.len(), STRETCH, least).into_iter().fold(f64::INFINITY, lesser)
    }
}

/// How far the score of a class is above those of all others.
pub(super) fn lead(scores: &[f64], class: usize) -> f64 {
    let others = scores.iter().enumerate().filter(|(k, _)| *k != class).map(|(_, &score)| score);
    scores[class] - others.reduce(f64::max).unwrap_or(0.0)
}

/// How far numbers are apart; of one number, its size.
fn spread(numbers: &[f64]) -> f64 {
    match numbers {
        [one] => one.abs(),
        many => {
            let (low, high) = many
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
            high - low
        }
    }
}

//! Which classes are taken for which.

use serde_json::{Value, json};
use weald::data::{ClassLabels, Weights};

use crate::picture::number;
use crate::tables::{figure, show, table, word};
use crate::terminal::{fit, width};

/// More classes than this do not make a readable table.
const MOST_CLASSES: usize = 12;

/// The weight of the rows of each true class, by predicted class.
pub struct Confusion {
    classes: Vec<String>,
    /// One line a true class.
    weights: Vec<Vec<f64>>,
}

impl Confusion {
    /// Counts rows by their true and predicted class.
    pub fn new(truth: &ClassLabels, predicted: &[u32], weights: &Weights) -> Confusion {
        let n = truth.n_classes();
        let mut sums = vec![vec![0.0; n]; n];
        for (row, (&class, &guess)) in truth.codes().iter().zip(predicted).enumerate() {
            sums[class as usize][guess as usize] += weights.at(row);
        }
        Confusion { classes: truth.classes().to_vec(), weights: sums }
    }

    /// The table, if it is small enough to read.
    pub fn show(&self) -> Option<String> {
        let room = width() / (self.classes.len() + 1).max(1);
        if self.classes.len() > MOST_CLASSES || room < 5 {
            return None;
        }
        let mut grid = table(&[]);
        let head = std::iter::once(word("true ↓ predicted →"));
        let name = |class: &String| fit(class, room.max(6) - 2);
        grid.set_header(head.chain(self.classes.iter().map(|c| figure(name(c)))));
        for (class, sums) in self.classes.iter().zip(&self.weights) {
            let cells = sums.iter().map(|&sum| figure(number(sum)));
            grid.add_row(std::iter::once(word(&fit(class, 20))).chain(cells));
        }
        Some(show(&grid))
    }

    /// For programs.
    pub fn as_json(&self) -> Value {
        json!({ "classes": self.classes, "true_by_predicted": self.weights })
    }
}

#[cfg(test)]
mod tests {
    use weald::data::Target;

    use super::*;

    #[test]
    fn lines_are_true_classes() {
        let Target::Classes(truth) = Target::from_names(&["a", "a", "b"]) else { panic!() };
        let confusion = Confusion::new(&truth, &[0, 1, 1], &Weights::Uniform);
        assert_eq!(confusion.weights, [[1.0, 1.0], [0.0, 1.0]]);
        assert!(confusion.show().unwrap().contains("predicted"));
    }
}

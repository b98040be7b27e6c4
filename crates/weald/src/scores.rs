//! What a model says about rows: a dense matrix, one line a row.

use std::ops::Range;

/// `n_rows` lines of `width` numbers: class probabilities, a value, an anomaly score or a log
/// density, as the model's [`Output`](crate::model::Output) says.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    width: usize,
    values: Vec<f64>,
}

impl Scores {
    /// `n_rows` lines of zeros.
    pub fn zeros(n_rows: usize, width: usize) -> Scores {
        assert!(width > 0, "scores need at least one column");
        Scores { width, values: vec![0.0; n_rows * width] }
    }

    /// Numbers per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows.
    pub fn n_rows(&self) -> usize {
        self.values.len() / self.width
    }

    /// One row's numbers.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..(row + 1) * self.width]
    }

    /// One row's numbers, to be written.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.width..(row + 1) * self.width]
    }

    /// One number of each row.
    pub fn column(&self, at: usize) -> Scores {
        Scores {
            width: 1,
            values: self.values.iter().skip(at).step_by(self.width).copied().collect(),
        }
    }

    /// Some consecutive numbers of each row.
    pub fn columns(&self, of: Range<usize>) -> Scores {
        let values = self.rows().flat_map(|row| &row[of.clone()]).copied().collect();
        Scores { width: of.len(), values }
    }

    /// The rows in order.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.width)
    }

    /// The rows in order, to be written.
    pub fn rows_mut(&mut self) -> std::slice::ChunksExactMut<'_, f64> {
        self.values.chunks_exact_mut(self.width)
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All numbers, row after row, to be kept.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// All numbers, row after row, to be written.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The class of each row: the largest number, the lowest class on ties.
    pub fn classes(&self) -> Vec<u32> {
        self.rows().map(|row| argmax(row) as u32).collect()
    }
}

/// The position of the largest number; the first of equals.
pub fn argmax(numbers: &[f64]) -> usize {
    let mut best = 0;
    for (i, &x) in numbers.iter().enumerate() {
        if x > numbers[best] {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lowest_class() {
        let mut scores = Scores::zeros(2, 3);
        scores.row_mut(0).copy_from_slice(&[0.2, 0.4, 0.4]);
        scores.row_mut(1).copy_from_slice(&[0.5, 0.5, 0.0]);
        assert_eq!(scores.classes(), [1, 0]);
    }
}

//! Cholesky's factor of a symmetric matrix: small systems of linear equations.

/// The factor `L` of a positive definite matrix, `L Lᵀ`, by its rows.
#[derive(Debug, Clone)]
pub struct Cholesky {
    rows: Vec<Vec<f64>>,
}

impl Cholesky {
    /// The factor of `matrix`, given by its lower triangle, with `ridge` added to the diagonal. The
    /// first column of which those before it leave `redundant` or less is the error.
    pub fn of(matrix: &[Vec<f64>], ridge: f64, redundant: f64) -> Result<Cholesky, usize> {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
        for (i, row) in matrix.iter().enumerate() {
            let mut row = row.clone();
            row[i] += ridge;
            for j in 0..i {
                row[j] = (row[j] - dot(&row[..j], &rows[j])) / rows[j][j];
            }
            let rest = row[i] - dot(&row[..i], &row);
            if rest.is_nan() || rest <= redundant {
                return Err(i);
            }
            row[i] = rest.sqrt();
            rows.push(row);
        }
        Ok(Cholesky { rows })
    }

    /// Solves `matrix x = b`: forth with the factor, then back.
    pub fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for i in 0..n {
            b[i] = (b[i] - dot(&b[..i], &self.rows[i])) / self.rows[i][i];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| self.rows[k][i] * b[k]).sum();
            b[i] = (b[i] - known) / self.rows[i][i];
        }
        b
    }
}

/// The sum of products, as far as `a` goes.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_system() {
        // L = [2; 6 1; -8 5 3], x = (1, 2, 3).
        let matrix = [vec![4.0], vec![12.0, 37.0], vec![-16.0, -43.0, 98.0]];
        let factor = Cholesky::of(&matrix, 0.0, 0.0).unwrap();
        assert_eq!(factor.rows, [vec![2.0], vec![6.0, 1.0], vec![-8.0, 5.0, 3.0]]);
        assert_eq!(factor.solve(vec![-20.0, -43.0, 192.0]), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_redundant_column_is_named_unless_a_ridge_tells_it_apart() {
        let copies = [vec![1.0], vec![1.0, 1.0]];
        assert_eq!(Cholesky::of(&copies, 0.0, 1e-12).unwrap_err(), 1);
        assert_eq!(Cholesky::of(&[vec![f64::NAN]], 0.0, 0.0).unwrap_err(), 0);
        let shared = Cholesky::of(&copies, 1.0, 1e-12).unwrap().solve(vec![3.0, 3.0]);
        assert!(shared.iter().all(|x| (x - 1.0).abs() < 1e-15), "{shared:?}");
    }
}

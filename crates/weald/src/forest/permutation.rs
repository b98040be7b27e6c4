//! Permutation importance out of the bag (Breiman 2001).
//!
//! How much worse a tree gets on the rows out of its bag when the values of one column are shuffled
//! among them. Measured on rows that the tree has not seen, so a column of noise gets nothing; but
//! columns that say the same share what they say.

use super::member::Member;
use crate::data::{Sample, Target};
use crate::scores::argmax;
use crate::seed::{Purpose, Seed};
use crate::tree::kernel::descent::Rows;
use crate::tree::walk::Reader;

/// The importance of each column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PermutationImportance {
    /// What the error of a tree rises by, on the mean.
    pub increase: Vec<f64>,
    /// The standard error of that mean.
    pub standard_error: Vec<f64>,
}

/// What the error of one tree rises by when each column is shuffled; 0 for columns that it does not
/// ask for, and for all if no rows are out of its bag.
pub fn of_tree(member: &Member, sample: &Sample<'_>, seed: Seed) -> Vec<f64> {
    let n_columns = sample.table.n_columns();
    let (walk, rows) = (&member.tree.walk, &member.rows_out);
    let mut increase = vec![0.0; n_columns];
    if rows.is_empty() {
        return increase;
    }
    let mut tile = Vec::new();
    walk.read_some(&Reader::of(sample.table), rows, &mut tile);
    let width = walk.n_values();
    let before = error(member, sample, &member.leaves_out);
    let mut is_asked = vec![false; n_columns];
    walk.rules(0).filter_map(|(rule, _)| rule.feature()).for_each(|f| is_asked[f] = true);
    let mut leaves = vec![0; rows.len()];
    for feature in (0..n_columns).filter(|&feature| is_asked[feature]) {
        let own: Vec<f64> = tile[feature..].iter().step_by(width).copied().collect();
        let mut shuffled = own.clone();
        seed.child(feature as u64).stream(Purpose::Shuffle).shuffle(&mut shuffled);
        put(&mut tile, feature, width, &shuffled);
        walk.rows(0, Rows::of(&tile), &mut leaves);
        increase[feature] = error(member, sample, &leaves) - before;
        put(&mut tile, feature, width, &own);
    }
    increase
}

fn put(tile: &mut [f64], feature: usize, width: usize, values: &[f64]) {
    tile[feature..].iter_mut().step_by(width).zip(values).for_each(|(to, from)| *to = *from);
}

/// The share of wrong classes, or the mean squared error, of the rows out of a tree's bag.
fn error(member: &Member, sample: &Sample<'_>, leaves: &[u32]) -> f64 {
    let width = member.tree.values.len() / member.tree.weights.len();
    let (mut sum, mut total) = (0.0, 0.0);
    for (&row, &leaf) in member.rows_out.iter().zip(leaves) {
        let answer = &member.tree.values[leaf as usize * width..][..width];
        let row = row as usize;
        let loss = match sample.target {
            Target::Classes(labels) => {
                f64::from(u8::from(argmax(answer) != labels.codes()[row] as usize))
            }
            Target::Numbers(values) => (answer[0] - values[row]).powi(2),
            Target::Several(several) => several.squared_error(row, answer.iter().copied()),
            Target::SeveralClasses(several) => several
                .mean_loss(row, answer, |shares, code| f64::from(u8::from(argmax(shares) != code))),
        };
        sum += sample.weights.at(row) * loss;
        total += sample.weights.at(row);
    }
    sum / total
}

impl PermutationImportance {
    /// The mean over trees, given what each column does to each.
    pub fn of_trees(trees: &[Vec<f64>]) -> PermutationImportance {
        let n = trees.len() as f64;
        let n_columns = trees.first().map_or(0, Vec::len);
        let of = |column: usize| {
            let mean = trees.iter().map(|tree| tree[column]).sum::<f64>() / n;
            let squares: f64 = trees.iter().map(|tree| (tree[column] - mean).powi(2)).sum();
            let deviation = if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { f64::NAN };
            (mean, deviation / n.sqrt())
        };
        let (increase, standard_error) = (0..n_columns).map(of).unzip();
        PermutationImportance { increase, standard_error }
    }
}

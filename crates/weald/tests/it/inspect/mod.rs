//! What is in a model, against rows that are walked by hand and models that end earlier.

mod doubts;
mod gains;
mod stages;
mod walks;

use weald::any::AnyModel;
use weald::data::{Column, MISSING, Table};
use weald::forest::isolation::IsolationTrees;
use weald::predict::DeepTrees;
use weald::run::Run;
use weald::seed::{Purpose, Seed};
use weald::tree::Rule;

/// A tree as a list of rules with right children, over the columns of the whole table.
struct Slow {
    nodes: Vec<(Rule, u32)>,
    columns: Vec<usize>,
}

impl Slow {
    /// The nodes that a row passes.
    fn path(&self, table: &Table, row: usize) -> Vec<u32> {
        let mut path = vec![0];
        loop {
            let at = *path.last().unwrap();
            let (rule, right) = &self.nodes[at as usize];
            let goes_left = match rule {
                Rule::Leaf => return path,
                Rule::Number { feature, threshold, missing_left } => {
                    let Column::Numeric(numbers) = table.column(self.columns[*feature as usize])
                    else {
                        panic!()
                    };
                    let x = numbers.at(row);
                    if x.is_nan() { *missing_left } else { x < *threshold }
                }
                Rule::Categories { feature, left, missing_left } => {
                    let Column::Categorical(c) = table.column(self.columns[*feature as usize])
                    else {
                        panic!()
                    };
                    let code = c.codes()[row];
                    if code == MISSING { *missing_left } else { left.codes().any(|c| c == code) }
                }
            };
            path.push(if goes_left { at + 1 } else { *right });
        }
    }
}

/// The trees of a model, taken from where each kind keeps them.
fn slow(model: &AnyModel, columns: &[usize]) -> Vec<Slow> {
    let of_tree = |tree: &weald::tree::Tree| Slow {
        nodes: tree.nodes.iter().map(|node| (node.rule.clone(), node.right)).collect(),
        columns: columns.to_vec(),
    };
    match model {
        AnyModel::Constant(_)
        | AnyModel::Linear(_)
        | AnyModel::NaiveBayes(_)
        | AnyModel::Neighbours(_) => vec![],
        AnyModel::Tree(model) => vec![of_tree(&model.tree)],
        AnyModel::Additive(model) => model.trees.iter().map(of_tree).collect(),
        AnyModel::Forest(model) => packed(&model.trees, columns),
        AnyModel::Density(model) => packed(&model.trees, columns),
        AnyModel::Isolation(model) => match &model.trees {
            IsolationTrees::Axis(trees) => packed(trees, columns),
            IsolationTrees::Oblique(_) => vec![],
        },
        AnyModel::Committee(committee) => {
            let of_member = |member: &weald::ensemble::Member<AnyModel>| {
                let own: Vec<usize> = match &member.columns {
                    Some(some) => some.iter().map(|&c| columns[c as usize]).collect(),
                    None => columns.to_vec(),
                };
                slow(&member.model, &own)
            };
            committee.members.iter().flat_map(of_member).collect()
        }
        AnyModel::Boosted(model) => {
            model.members.iter().flat_map(|member| slow(member, columns)).collect()
        }
        AnyModel::Stacked(model) => {
            model.members.iter().flat_map(|member| slow(&member.learner, columns)).collect()
        }
        AnyModel::Dynamic(model) => {
            model.members.iter().flat_map(|member| slow(&member.learner, columns)).collect()
        }
        AnyModel::Mixture(model) => {
            model.experts.iter().flat_map(|expert| slow(expert, columns)).collect()
        }
        AnyModel::Coded(model) => {
            model.members.iter().flat_map(|member| slow(member, columns)).collect()
        }
        AnyModel::Calibrated(model) => slow(&model.base, columns),
    }
}

fn packed(trees: &DeepTrees, columns: &[usize]) -> Vec<Slow> {
    let of_tree = |tree| Slow {
        nodes: trees.nodes(tree).map(|node| (node.rule, node.right)).collect(),
        columns: columns.to_vec(),
    };
    (0..trees.len()).map(of_tree).collect()
}

/// Rows of a table, drawn with repetition, in a table of their own.
fn drawn(table: &Table, n: usize, seed: u64) -> Table {
    let mut draws = Seed(seed).stream(Purpose::Rows);
    let rows: Vec<usize> = (0..n).map(|_| draws.below(table.n_rows() as u64) as usize).collect();
    table.take(&rows)
}

/// The same on no pool's thread, on one and on three.
fn on_threads<T: PartialEq + std::fmt::Debug + Send>(work: impl Fn() -> T + Sync) -> T {
    let found = work();
    for threads in [1, 3] {
        assert_eq!(Run::quiet(Seed(1), threads).unwrap().install(&work), found);
    }
    found
}

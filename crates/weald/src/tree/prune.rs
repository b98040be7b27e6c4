//! Cutting a grown tree back.
//!
//! Both rules go through the tree once, from the leaves up, and ask of each inner node whether it
//! would do better as a leaf than with what is left of its subtree.

use super::model::{Rule, Tree};
use crate::data::Target;
use crate::error::{Error, Result};
use crate::parameter::{Value, out_of_range};

/// What is cut back after growing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pruning {
    /// Nothing.
    None,
    /// Subtrees whose leaves lower the cost by less than `alpha` each, as a share of the total
    /// weight (CART).
    CostComplexity {
        /// The price of a leaf.
        alpha: f64,
    },
    /// Subtrees that do not lower the upper confidence limit of the error (C4.5).
    ErrorBased {
        /// The confidence level; smaller prunes more.
        confidence: f64,
    },
}

impl Pruning {
    /// Whether the value is in range.
    pub fn check(self) -> Result<()> {
        match self {
            Pruning::CostComplexity { alpha } if !(alpha >= 0.0 && alpha.is_finite()) => {
                out_of_range("pruning", alpha, "a price of at least 0")
            }
            Pruning::ErrorBased { confidence } if !(confidence > 0.0 && confidence <= 0.5) => {
                out_of_range("pruning", confidence, "a confidence above 0 and at most 0.5")
            }
            _ => Ok(()),
        }
    }
}

impl Pruning {
    /// The tree cut back by this rule.
    pub fn prune(self, tree: Tree, target: &Target) -> Result<Tree> {
        match (self, target) {
            (Pruning::None, _) => Ok(tree),
            (Pruning::CostComplexity { alpha }, _) => {
                let price = alpha * tree.nodes[0].weight;
                // Breiman et al. 1984, section 3.2: R_alpha(T) = R(T) + alpha |T|.
                Ok(cut_back(&tree, |node| tree.nodes[node].cost + price, 0.0))
            }
            (Pruning::ErrorBased { confidence }, Target::Classes(_)) => {
                let z = normal_upper_quantile(confidence);
                let limit = |node: usize| {
                    let n = tree.nodes[node].weight;
                    let right = tree.value(node).iter().fold(0.0, |a: f64, &b| a.max(b));
                    let errors = (n * (1.0 - right)).max(0.0);
                    errors + extra_errors(n, errors, confidence, z)
                };
                // Quinlan's slack: a leaf may be a tenth of an error worse.
                Ok(cut_back(&tree, limit, 0.1))
            }
            (Pruning::ErrorBased { .. }, _) => Err(Error::WrongTask {
                method: "error-based pruning".into(),
                expected: "classes",
                found: target.words(),
                hint: "use cost-complexity pruning",
            }),
        }
    }
}

/// The tree with every inner node made a leaf whose price as a leaf is at most `slack` above that
/// of what is left of its subtree.
fn cut_back(tree: &Tree, price: impl Fn(usize) -> f64, slack: f64) -> Tree {
    let n = tree.nodes.len();
    let mut best = vec![0.0; n];
    let mut becomes_leaf = vec![false; n];
    for at in (0..n).rev() {
        let alone = price(at);
        best[at] = alone;
        if let Some((left, right)) = tree.children(at) {
            let below = best[left] + best[right];
            // Sums of many leaves carry rounding: equal prices go to the smaller tree.
            becomes_leaf[at] = alone <= below + slack + 1e-12 * below.abs();
            best[at] = if becomes_leaf[at] { alone } else { below };
        }
    }
    keep(tree, &becomes_leaf)
}

/// The tree without the subtrees of nodes that become leaves.
fn keep(tree: &Tree, becomes_leaf: &[bool]) -> Tree {
    let mut kept = Tree { nodes: Vec::new(), values: Vec::new(), width: tree.width, linear: None };
    let mut stack = vec![(0, None)];
    while let Some((at, parent)) = stack.pop() {
        let here = kept.nodes.len();
        if let Some(parent) = parent {
            let parent: &mut super::model::Node = &mut kept.nodes[parent];
            parent.right = here as u32;
        }
        let mut node = tree.nodes[at].clone();
        node.right = 0;
        match tree.children(at) {
            Some((left, right)) if !becomes_leaf[at] => {
                stack.push((right, Some(here)));
                stack.push((left, None));
            }
            _ => node.rule = Rule::Leaf,
        }
        kept.nodes.push(node);
        kept.values.extend_from_slice(tree.value(at));
    }
    kept
}

/// What C4.5 adds to the `errors` seen among `n` rows: the distance to the upper limit of a
/// binomial confidence interval (Quinlan 1993, chapter 4), in his approximation.
fn extra_errors(n: f64, errors: f64, confidence: f64, z: f64) -> f64 {
    if errors < 1e-6 {
        n * (1.0 - libm::exp(libm::log(confidence) / n))
    } else if errors < 0.9999 {
        let none = extra_errors(n, 0.0, confidence, z);
        none + errors * (extra_errors(n, 1.0, confidence, z) - none)
    } else if errors + 0.5 >= n {
        0.67 * (n - errors)
    } else {
        let (z2, e) = (z * z, errors + 0.5);
        let spread = libm::sqrt(z2 * (e * (1.0 - e / n) + z2 / 4.0));
        n * (e + z2 / 2.0 + spread) / (n + z2) - errors
    }
}

/// The `z` that a standard normal variable exceeds with probability `p`, for `p` up to one half,
/// by bisection on the complementary error function.
fn normal_upper_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        let above = 0.5 * libm::erfc(middle / std::f64::consts::SQRT_2);
        if above > p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

impl Value for Pruning {
    fn show(&self) -> String {
        match self {
            Pruning::None => "none".into(),
            Pruning::CostComplexity { alpha } => format!("cost-complexity:{alpha}"),
            Pruning::ErrorBased { confidence } => format!("error-based:{confidence}"),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        let (name, number) = text.split_once(':').unwrap_or((text, ""));
        *self = match (name, number.parse()) {
            ("none", Err(_)) if number.is_empty() => Pruning::None,
            ("error-based", Err(_)) if number.is_empty() => {
                Pruning::ErrorBased { confidence: 0.25 }
            }
            ("cost-complexity", Ok(alpha)) => Pruning::CostComplexity { alpha },
            ("error-based", Ok(confidence)) => Pruning::ErrorBased { confidence },
            _ => return false,
        };
        true
    }

    fn expected(&self) -> String {
        "none, cost-complexity:0.01 (the price of a leaf) or error-based:0.25 (the confidence)"
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_quantile() {
        assert!((normal_upper_quantile(0.25) - 0.674_489_750_196_081_7).abs() < 1e-12);
        assert!((normal_upper_quantile(0.025) - 1.959_963_984_540_054).abs() < 1e-12);
    }

    #[test]
    fn quinlans_worked_limits() {
        // Quinlan 1993, page 42: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750, and
        // U25%(1, 16) = 0.157, to which the normal approximation comes near.
        let z = normal_upper_quantile(0.25);
        let limit = |errors: f64, n: f64| (errors + extra_errors(n, errors, 0.25, z)) / n;
        for (n, expected) in [(6.0, 0.206), (9.0, 0.143), (1.0, 0.750)] {
            assert!((limit(0.0, n) - expected).abs() < 6e-4, "{n}: {}", limit(0.0, n));
        }
        assert!((limit(1.0, 16.0) - 0.157).abs() < 3e-3);
    }
}

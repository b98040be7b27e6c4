//! Colours of nodes: the hue is the class and the depth of colour its share, or the value's place
//! between the lowest and the highest.

use std::fmt;

use weald::model::Output;
use weald::scores::argmax;
use weald::tree::TreeModel;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// Okabe and Ito's colours, which people who see colours differently tell apart.
const HUES: [Colour; 7] = [
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(240, 228, 66),
];
/// What the highest number is filled with.
const DEEPEST: Colour = Colour(44, 127, 184);

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The colours of one tree's nodes.
pub struct Palette {
    names: Vec<String>,
    lowest: f64,
    highest: f64,
}

impl Palette {
    /// The palette for a tree's classes, or for the range of its values; of several targets, for that
    /// of the first.
    pub fn of(model: &TreeModel) -> Palette {
        match &model.output {
            Output::Probabilities { classes } => {
                Palette { names: classes.to_vec(), lowest: 0.0, highest: 1.0 }
            }
            Output::SeveralProbabilities { outputs } => {
                Palette { names: outputs[0].classes.to_vec(), lowest: 0.0, highest: 1.0 }
            }
            _ => {
                let values = || model.tree.values.iter().step_by(model.tree.width).copied();
                let lowest = values().fold(f64::INFINITY, f64::min);
                let highest = values().fold(f64::NEG_INFINITY, f64::max);
                Palette { names: vec![], lowest, highest }
            }
        }
    }

    /// Each class and its colour.
    pub fn classes(&self) -> Vec<(String, Colour)> {
        self.names.iter().enumerate().map(|(i, name)| (name.clone(), hue(i))).collect()
    }

    /// What a node with this value is filled with.
    pub fn fill(&self, value: &[f64]) -> Colour {
        if self.names.is_empty() {
            let range = self.highest - self.lowest;
            let place = if range > 0.0 { (value[0] - self.lowest) / range } else { 0.0 };
            return tint(DEEPEST, 0.1 + 0.7 * place);
        }
        let class = argmax(&value[..self.names.len()]);
        let chance = 1.0 / self.names.len() as f64;
        let sure = if chance < 1.0 { (value[class] - chance) / (1.0 - chance) } else { 1.0 };
        tint(hue(class), 0.12 + 0.6 * sure)
    }
}

/// The colour of the `class`-th class.
pub fn hue(class: usize) -> Colour {
    HUES[class % HUES.len()]
}

/// `colour` on white paper with this much of it.
fn tint(colour: Colour, strength: f64) -> Colour {
    let strength = if strength.is_finite() { strength.clamp(0.0, 1.0) } else { 0.0 };
    let mix = |c: u8| (255.0 - (255.0 - f64::from(c)) * strength).round() as u8;
    Colour(mix(colour.0), mix(colour.1), mix(colour.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surer_node_is_deeper_in_colour() {
        let palette = Palette { names: vec!["a".into(), "b".into()], lowest: 0.0, highest: 1.0 };
        let (even, sure) = (palette.fill(&[0.5, 0.5]), palette.fill(&[1.0, 0.0]));
        assert!(even.2 > sure.2, "{even} {sure}");
        assert_eq!(Colour(255, 0, 16).to_string(), "#ff0010");
    }

    #[test]
    fn a_tree_of_one_value_has_a_colour() {
        let palette = Palette { names: vec![], lowest: 3.0, highest: 3.0 };
        assert_eq!(palette.fill(&[3.0]), tint(DEEPEST, 0.1));
    }
}

//! The variants, by name.

use crate::data::{Target, Task};
use crate::error::Result;
use crate::parameter::{Value, named_values, out_of_range};

/// Which variant of AdaBoost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Algorithm {
    /// AdaBoost for two classes, SAMME for more, R2 for numbers.
    Auto,
    /// AdaBoost for two classes (Freund & Schapire 1997).
    Binary,
    /// AdaBoost* for two classes: the largest margin up to `precision` (Rätsch & Warmuth 2005).
    Star {
        /// How near the largest margin.
        precision: f64,
    },
    /// AdaBoost.M1 (Freund & Schapire 1997): members must be right more often than wrong.
    M1,
    /// SAMME (Zhu, Zou, Rosset & Hastie 2009): members must be better than chance.
    Samme,
    /// AdaBoost.MH (Schapire & Singer 1999): each pair of a row and a class is right or wrong.
    Mh,
    /// AdaBoost.M2 (Freund & Schapire 1997): members say how plausible each class is.
    M2,
    /// AdaBoost.MR (Schapire & Singer 1999): the right class is to rank above the wrong ones.
    Mr,
    /// Real AdaBoost (Friedman, Hastie & Tibshirani 2000): members speak by their log odds.
    Real,
    /// Gentle AdaBoost (Friedman, Hastie & Tibshirani 2000): Newton steps on the exponential loss.
    Gentle,
    /// LogitBoost (Friedman, Hastie & Tibshirani 2000): Newton steps on the logistic loss.
    Logit,
    /// AdaBoost.R (Freund & Schapire 1997): numbers as infinitely many questions of yes and no.
    R,
    /// AdaBoost.R2 (Drucker 1997): rows that are far off get heavier.
    R2 {
        /// How far off a row is.
        loss: RegressionLoss,
    },
    /// AdaBoost.RT (Solomatine & Shrestha 2004): a row is wrong if it is off by more than a share.
    Rt {
        /// The share of its own value.
        threshold: f64,
        /// The power of the error rate that is `beta`: 1, 2 or 3.
        power: u8,
    },
}

/// How far off a row is in R2, as a share of the farthest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegressionLoss {
    /// The share itself.
    Linear,
    /// Its square.
    Square,
    /// `1 - exp(-share)`.
    Exponential,
}
named_values!(RegressionLoss {
    Linear = "linear",
    Square = "square",
    Exponential = "exponential",
});

/// Variants without parameters of their own, by name.
const PLAIN: &[(&str, Algorithm)] = &[
    ("auto", Algorithm::Auto),
    ("adaboost", Algorithm::Binary),
    ("m1", Algorithm::M1),
    ("samme", Algorithm::Samme),
    ("mh", Algorithm::Mh),
    ("m2", Algorithm::M2),
    ("mr", Algorithm::Mr),
    ("real", Algorithm::Real),
    ("gentle", Algorithm::Gentle),
    ("logit", Algorithm::Logit),
    ("r", Algorithm::R),
];

impl Algorithm {
    /// AdaBoost* to within a tenth of the largest margin. It takes `2 ln(n) / precision^2` rounds at
    /// the most to be that near.
    pub const STAR: Algorithm = Algorithm::Star { precision: 0.1 };
    /// R2 with the linear loss.
    pub const R2: Algorithm = Algorithm::R2 { loss: RegressionLoss::Linear };
    /// RT as its authors found it to work best.
    pub const RT: Algorithm = Algorithm::Rt { threshold: 0.1, power: 2 };

    /// The variant that `Auto` stands for. With one class there is nothing to tell apart, and all
    /// variants for classes are as one.
    pub fn resolved(self, target: &Target) -> Algorithm {
        match (self, target) {
            (Algorithm::Auto, Target::Classes(labels)) if labels.n_classes() == 2 => {
                Algorithm::Binary
            }
            (Algorithm::Auto, Target::Classes(_)) => Algorithm::Samme,
            (of_classes, Target::Classes(labels))
                if labels.n_classes() < 2 && of_classes.task() == Task::Classification =>
            {
                Algorithm::Samme
            }
            (Algorithm::Auto, _) => Algorithm::R2,
            (other, _) => other,
        }
    }

    /// What it is for; `Auto`, if it is not resolved, is for anything.
    pub fn task(self) -> Task {
        match self {
            Algorithm::R | Algorithm::R2 { .. } | Algorithm::Rt { .. } => Task::Regression,
            _ => Task::Classification,
        }
    }

    /// Whether it is for two classes alone.
    pub fn is_of_two(self) -> bool {
        matches!(self, Algorithm::Binary | Algorithm::Star { .. })
    }

    /// Whether a member's coefficient goes by the weight of the rows that it classifies wrongly, and by
    /// nothing else that it says.
    pub fn counts_errors(self) -> bool {
        matches!(
            self,
            Algorithm::Auto
                | Algorithm::Binary
                | Algorithm::Star { .. }
                | Algorithm::M1
                | Algorithm::Samme
        )
    }

    /// Whether rows may be drawn by weight instead of being weighted.
    pub fn can_draw_rows(self) -> bool {
        match self {
            Algorithm::Auto
            | Algorithm::Binary
            | Algorithm::Star { .. }
            | Algorithm::M1
            | Algorithm::Samme
            | Algorithm::Real
            | Algorithm::R
            | Algorithm::R2 { .. }
            | Algorithm::Rt { .. } => true,
            Algorithm::Mh
            | Algorithm::M2
            | Algorithm::Mr
            | Algorithm::Gentle
            | Algorithm::Logit => false,
        }
    }

    /// Whether its own parameters are in range.
    pub fn check(self) -> Result<()> {
        let bad = |expected| out_of_range("algorithm", self.show(), expected);
        match self {
            Algorithm::Star { precision } if !(precision > 0.0 && precision < 1.0) => {
                bad("a precision between 0 and 1 after star:")
            }
            Algorithm::Rt { threshold, power } => match (threshold > 0.0, power) {
                (true, 1..=3) => Ok(()),
                (false, _) => bad("a threshold above 0 after rt:"),
                (true, _) => bad("a power of 1, 2 or 3 after the threshold of rt"),
            },
            _ => Ok(()),
        }
    }
}

impl Value for Algorithm {
    fn show(&self) -> String {
        match self {
            Algorithm::Star { precision } => format!("star:{precision}"),
            Algorithm::R2 { loss } => format!("r2:{}", loss.show()),
            Algorithm::Rt { threshold, power } => format!("rt:{threshold},{power}"),
            plain => PLAIN.iter().find(|(_, a)| a == plain).map_or("", |(name, _)| name).into(),
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        let found = match text.split_once(':').map_or((text, None), |(a, b)| (a, Some(b))) {
            ("star", None) => Some(Algorithm::STAR),
            ("r2", None) => Some(Algorithm::R2),
            ("rt", None) => Some(Algorithm::RT),
            ("r1", None) => Some(Algorithm::R),
            (name, None) => PLAIN.iter().find(|(n, _)| *n == name).map(|(_, a)| *a),
            ("star", Some(own)) => number(own).map(|precision| Algorithm::Star { precision }),
            ("r2", Some(own)) => {
                let mut loss = RegressionLoss::Linear;
                loss.parse(own).then_some(Algorithm::R2 { loss })
            }
            ("rt", Some(own)) => {
                let (threshold, power) = own.split_once(',').unwrap_or((own, "2"));
                let threshold = number(threshold);
                threshold
                    .zip(power.parse().ok())
                    .map(|(threshold, power)| Algorithm::Rt { threshold, power })
            }
            _ => None,
        };
        found.map(|algorithm| *self = algorithm).is_some()
    }

    fn expected(&self) -> String {
        "auto, adaboost, m1, samme, mh, m2, mr, real, gentle, logit, star or star:PRECISION, r or \
         r1, r2 or r2:linear, r2:square, r2:exponential, rt or rt:THRESHOLD,POWER"
            .into()
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|x: &f64| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_read_as_it_is_shown() {
        let named = ["star", "r2", "rt", "r2:square", "rt:0.2,3", "star:0.5", "r"];
        for text in PLAIN.iter().map(|(name, _)| *name).chain(named) {
            let mut algorithm = Algorithm::Auto;
            assert!(algorithm.parse(text), "{text}");
            let mut again = Algorithm::M1;
            assert!(again.parse(&algorithm.show()), "{text}");
            assert_eq!(again, algorithm);
            assert!(algorithm.check().is_ok());
        }
        let mut algorithm = Algorithm::Auto;
        assert!(algorithm.parse("r1") && algorithm == Algorithm::R);
        for text in ["", "m3", "r2:cubic", "rt:x", "rt:0.1,x", "star:", "m1:2", "samme.r"] {
            assert!(!algorithm.parse(text), "{text}");
        }
        for text in ["star:0", "star:1", "rt:0", "rt:0.1,4", "rt:-1,2"] {
            assert!(algorithm.parse(text) && algorithm.check().is_err(), "{text}");
        }
    }
}

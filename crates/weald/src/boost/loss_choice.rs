//! A loss by name, as parameters give it.

use crate::data::Target;
use crate::error::{Error, Result};
use crate::loss::{self, Loss};
use crate::parameter::{Value, out_of_range};

/// A loss by name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LossChoice {
    /// Logistic for two classes, softmax for more, squared for numbers.
    Auto,
    /// Cross-entropy, two classes.
    Logistic,
    /// Cross-entropy, any number of classes.
    Softmax,
    /// AdaBoost's, two classes.
    Exponential,
    /// The support vector machine's, two classes.
    Hinge,
    /// The hinge squared, two classes.
    SquaredHinge,
    /// For means.
    Squared,
    /// For medians.
    Absolute,
    /// Squared up to this distance, absolute beyond.
    Huber(f64),
    /// For the quantile of this level.
    Quantile(f64),
    /// For counts.
    Poisson,
    /// For positive amounts.
    Gamma,
    /// For amounts that are often 0, with this power of the mean in the variance.
    Tweedie(f64),
}

impl LossChoice {
    /// The losses without a number, by name.
    const NAMED: [(&str, LossChoice); 10] = [
        ("auto", LossChoice::Auto),
        ("logistic", LossChoice::Logistic),
        ("softmax", LossChoice::Softmax),
        ("exponential", LossChoice::Exponential),
        ("hinge", LossChoice::Hinge),
        ("squared-hinge", LossChoice::SquaredHinge),
        ("squared", LossChoice::Squared),
        ("absolute", LossChoice::Absolute),
        ("poisson", LossChoice::Poisson),
        ("gamma", LossChoice::Gamma),
    ];

    /// The loss for this target.
    pub fn for_target(self, target: &Target) -> Result<Box<dyn Loss>> {
        let n_classes = match target {
            Target::Classes(labels) => labels.n_classes(),
            Target::Numbers(_) => 0,
        };
        let loss: Box<dyn Loss> = match (self, n_classes) {
            (LossChoice::Auto, 0) | (LossChoice::Squared, _) => Box::new(loss::Squared),
            (LossChoice::Auto, 2) | (LossChoice::Logistic, _) => Box::new(loss::Logistic),
            (LossChoice::Auto | LossChoice::Softmax, _) => Box::new(loss::Softmax { n_classes }),
            (LossChoice::Exponential, _) => Box::new(loss::Exponential),
            (LossChoice::Hinge, _) => Box::new(loss::Hinge),
            (LossChoice::SquaredHinge, _) => Box::new(loss::SquaredHinge),
            (LossChoice::Absolute, _) => Box::new(loss::Absolute),
            (LossChoice::Huber(delta), _) => Box::new(loss::Huber { delta }),
            (LossChoice::Poisson, _) => Box::new(loss::Poisson),
            (LossChoice::Gamma, _) => Box::new(loss::Gamma),
            (LossChoice::Tweedie(power), _) => Box::new(loss::Tweedie { power }),
            (LossChoice::Quantile(level), _) => Box::new(loss::Quantile { level }),
        };
        if loss.task() != target.task() {
            let (expected, found) = match n_classes {
                0 => ("classes", "numbers"),
                _ => ("numbers", "classes"),
            };
            return Err(Error::WrongTask {
                method: format!("the loss {}", loss.name()),
                expected,
                found,
                hint: "use the loss auto, or another target",
            });
        }
        let is_binary = loss.width() == 1 && n_classes > 0;
        if is_binary && n_classes != 2 {
            return Err(Error::WrongTask {
                method: format!("the loss {}", loss.name()),
                expected: "two classes",
                found: if n_classes == 1 { "one class" } else { "more than two" },
                hint: "use the loss softmax",
            });
        }
        Ok(loss)
    }

    /// Whether its number is in range.
    pub fn check(self) -> Result<()> {
        match self {
            LossChoice::Huber(delta) if !(delta > 0.0 && delta.is_finite()) => {
                out_of_range("loss", self.show(), "a distance above 0 after huber:")
            }
            LossChoice::Quantile(level) if !(level > 0.0 && level < 1.0) => {
                out_of_range("loss", self.show(), "a level between 0 and 1 after quantile:")
            }
            LossChoice::Tweedie(power) if !(power > 1.0 && power < 2.0) => {
                out_of_range("loss", self.show(), "a power between 1 and 2 after tweedie:")
            }
            _ => Ok(()),
        }
    }
}

impl Value for LossChoice {
    fn show(&self) -> String {
        match self {
            LossChoice::Huber(delta) => format!("huber:{delta}"),
            LossChoice::Quantile(level) => format!("quantile:{level}"),
            LossChoice::Tweedie(power) => format!("tweedie:{power}"),
            plain => {
                let found = LossChoice::NAMED.iter().find(|(_, loss)| loss == plain);
                found.map_or(String::new(), |(name, _)| (*name).into())
            }
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        if let Some((_, loss)) = LossChoice::NAMED.iter().find(|(name, _)| *name == text) {
            *self = *loss;
            return true;
        }
        *self = match text.split_once(':').map(|(name, number)| (name, number.parse())) {
            Some(("huber", Ok(delta))) => LossChoice::Huber(delta),
            Some(("quantile", Ok(level))) => LossChoice::Quantile(level),
            Some(("tweedie", Ok(power))) => LossChoice::Tweedie(power),
            _ => return false,
        };
        true
    }

    fn expected(&self) -> String {
        let names: Vec<&str> = LossChoice::NAMED.iter().map(|(name, _)| *name).collect();
        format!("{}, huber:1.0, quantile:0.5 or tweedie:1.5", names.join(", "))
    }
}

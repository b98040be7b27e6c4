//! A loss by name, as parameters give it.

use super::targets::Targets;
use crate::data::{ClassList, Rescaled, Sample, Target, Task};
use crate::error::{Error, Result};
use crate::loss::{self, Link, Loss};
use crate::parameter::{Value, out_of_range};

/// Places that count in a ranking if no number is given.
const CUSTOMARY_DEPTH: usize = 10;

/// A loss by name.
#[derive(Debug, Clone, PartialEq)]
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
    /// For the quantiles of these levels, in rising order.
    Quantiles(Vec<f64>),
    /// For counts.
    Poisson,
    /// For positive amounts.
    Gamma,
    /// For amounts that are often 0, with this power of the mean in the variance.
    Tweedie(f64),
    /// For times to an event, negative where none was seen.
    Cox,
    /// For sorting the rows of each group; this many places count.
    LambdaRank(usize),
}

impl LossChoice {
    /// The losses without a number, by name.
    const NAMED: [(&str, LossChoice); 11] = [
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
        ("cox", LossChoice::Cox),
    ];

    /// What it is for, if that is one task alone.
    pub fn task(&self) -> Option<Task> {
        match self {
            LossChoice::Auto => None,
            LossChoice::Logistic
            | LossChoice::Softmax
            | LossChoice::Exponential
            | LossChoice::Hinge
            | LossChoice::SquaredHinge => Some(Task::Classification),
            LossChoice::Squared
            | LossChoice::Absolute
            | LossChoice::Huber(_)
            | LossChoice::Quantile(_)
            | LossChoice::Quantiles(_)
            | LossChoice::Poisson
            | LossChoice::Gamma
            | LossChoice::Tweedie(_)
            | LossChoice::Cox
            | LossChoice::LambdaRank(_) => Some(Task::Regression),
        }
    }

    /// The loss for these rows.
    pub fn for_sample(&self, sample: &Sample<'_>) -> Result<Box<dyn Loss>> {
        match sample.target {
            Target::Numbers(_) => Ok(self.for_classes(0)),
            Target::Classes(labels) => Ok(self.for_classes(labels.n_classes())),
            Target::Several(several) => {
                self.check_several(sample.target)?;
                let n = several.n_outputs();
                let losses: Vec<_> = (0..n).map(|_| self.for_classes(0)).collect();
                // Targets of extreme size are fitted as they are of usual size.
                let usual = losses.first().and_then(|loss| loss.degree());
                let usual = usual.and_then(|_| Rescaled::of(sample));
                let several = match usual.as_ref().map(|usual| &usual.target) {
                    Some(Target::Several(usual)) => usual,
                    _ => several,
                };
                let targets: Vec<Vec<f64>> = (0..n).map(|output| several.output(output)).collect();
                Ok(Box::new(loss::Each::of_numbers(losses, &targets, sample.weights)))
            }
            Target::SeveralClasses(several) => {
                self.check_several(sample.target)?;
                let own = |output: &ClassList| LossChoice::Auto.for_classes(output.classes.len());
                let losses = several.outputs().iter().map(own).collect();
                Ok(Box::new(loss::Each::of_classes(losses)))
            }
        }
    }

    /// Whether it can be the loss of each of several targets.
    fn check_several(&self, target: &Target) -> Result<()> {
        let wrong = |expected, hint| {
            let method = format!("the loss {}", self.show());
            Err(Error::WrongTask { method, expected, found: target.words(), hint })
        };
        let is_of_two = |output: &ClassList| output.classes.len() == 2;
        match (target, self) {
            (_, LossChoice::Auto) => Ok(()),
            (
                Target::Several(_),
                LossChoice::Squared
                | LossChoice::Absolute
                | LossChoice::Huber(_)
                | LossChoice::Quantile(_)
                | LossChoice::Poisson
                | LossChoice::Gamma
                | LossChoice::Tweedie(_),
            ) => Ok(()),
            (Target::Several(_), _) => wrong(
                if self.task() == Some(Task::Classification) {
                    "classes"
                } else {
                    "one number a row"
                },
                "use squared, absolute, huber, quantile with one level, poisson, gamma or tweedie, or \
                 a model for each target",
            ),
            (_, LossChoice::Softmax) => Ok(()),
            (Target::SeveralClasses(several), LossChoice::Logistic)
                if several.outputs().iter().all(is_of_two) =>
            {
                Ok(())
            }
            (_, LossChoice::Logistic) => wrong("two classes of each target", "use the loss auto"),
            _ => wrong(
                if self.task() == Some(Task::Regression) { "numbers" } else { "one class a row" },
                "use the loss auto, or a model for each target",
            ),
        }
    }

    /// The loss for so many classes, or for numbers where there are none.
    fn for_classes(&self, n_classes: usize) -> Box<dyn Loss> {
        match (self, n_classes) {
            (LossChoice::Auto, 0) | (LossChoice::Squared, _) => Box::new(loss::Squared),
            (LossChoice::Auto, 2) | (LossChoice::Logistic, _) => Box::new(loss::Logistic),
            (LossChoice::Auto | LossChoice::Softmax, _) => Box::new(loss::Softmax { n_classes }),
            (LossChoice::Exponential, _) => Box::new(loss::Exponential),
            (LossChoice::Hinge, _) => Box::new(loss::Hinge),
            (LossChoice::SquaredHinge, _) => Box::new(loss::SquaredHinge),
            (LossChoice::Absolute, _) => Box::new(loss::Absolute),
            (LossChoice::Huber(delta), _) => Box::new(loss::Huber { delta: *delta }),
            (LossChoice::Poisson, _) => Box::new(loss::Poisson),
            (LossChoice::Gamma, _) => Box::new(loss::Gamma),
            (LossChoice::Tweedie(power), _) => Box::new(loss::Tweedie { power: *power }),
            (LossChoice::Cox, _) => Box::new(loss::Cox),
            (LossChoice::LambdaRank(depth), _) => Box::new(loss::LambdaRank { depth: *depth }),
            (LossChoice::Quantile(level), _) => Box::new(loss::Quantile { levels: vec![*level] }),
            (LossChoice::Quantiles(levels), _) => {
                Box::new(loss::Quantile { levels: levels.clone() })
            }
        }
    }

    /// Whether its number is in range.
    pub fn check(&self) -> Result<()> {
        match self {
            LossChoice::Huber(delta) if !(*delta > 0.0 && delta.is_finite()) => {
                out_of_range("loss", self.show(), "a distance above 0 after huber:")
            }
            LossChoice::Quantile(level) if !(*level > 0.0 && *level < 1.0) => {
                out_of_range("loss", self.show(), "a level between 0 and 1 after quantile:")
            }
            LossChoice::Quantiles(levels) if !are_levels(levels) => {
                out_of_range("loss", self.show(), "rising levels between 0 and 1 after quantile:")
            }
            LossChoice::Tweedie(power) if !(*power > 1.0 && *power < 2.0) => {
                out_of_range("loss", self.show(), "a power between 1 and 2 after tweedie:")
            }
            LossChoice::LambdaRank(0) => {
                out_of_range("loss", self.show(), "at least 1 place after lambdarank:")
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
            LossChoice::Quantiles(levels) => {
                let levels: Vec<String> = levels.iter().map(f64::to_string).collect();
                format!("quantile:{}", levels.join(","))
            }
            LossChoice::Tweedie(power) => format!("tweedie:{power}"),
            LossChoice::LambdaRank(depth) => format!("lambdarank:{depth}"),
            plain => {
                let found = LossChoice::NAMED.iter().find(|(_, loss)| loss == plain);
                found.map_or(String::new(), |(name, _)| (*name).into())
            }
        }
    }

    fn parse(&mut self, text: &str) -> bool {
        if let Some((_, loss)) = LossChoice::NAMED.iter().find(|(name, _)| *name == text) {
            *self = loss.clone();
            return true;
        }
        if text == "lambdarank" {
            *self = LossChoice::LambdaRank(CUSTOMARY_DEPTH);
            return true;
        }
        let Some((name, numbers)) = text.split_once(':') else { return false };
        if let ("lambdarank", Ok(depth)) = (name, numbers.parse()) {
            *self = LossChoice::LambdaRank(depth);
            return true;
        }
        let numbers: Option<Vec<f64>> = numbers.split(',').map(|n| n.trim().parse().ok()).collect();
        *self = match (name, numbers.as_deref()) {
            ("huber", Some(&[delta])) => LossChoice::Huber(delta),
            ("quantile", Some(&[level])) => LossChoice::Quantile(level),
            ("quantile", Some(levels)) => LossChoice::Quantiles(levels.to_vec()),
            ("tweedie", Some(&[power])) => LossChoice::Tweedie(power),
            _ => return false,
        };
        true
    }

    fn expected(&self) -> String {
        let names: Vec<&str> = LossChoice::NAMED.iter().map(|(name, _)| *name).collect();
        format!(
            "{}, huber:1.0, quantile:0.5, quantile:0.1,0.5,0.9, tweedie:1.5 or lambdarank:10",
            names.join(", ")
        )
    }
}

/// Whether these are levels of quantiles, each larger than the one before.
fn are_levels(levels: &[f64]) -> bool {
    let rise = levels.windows(2).all(|pair| pair[0] < pair[1]);
    rise && !levels.is_empty() && levels.iter().all(|level| *level > 0.0 && *level < 1.0)
}

/// An error unless the loss is one for this target, and its link one for its predictions.
pub fn check_fit(loss: &dyn Loss, target: &Target) -> Result<()> {
    let wrong = |expected, found, hint| {
        Err(Error::WrongTask { method: format!("the loss {}", loss.name()), expected, found, hint })
    };
    match target {
        Target::Numbers(_) if loss.task() == Task::Classification => {
            return wrong("classes", "numbers", "use the loss auto, or another target");
        }
        Target::Classes(_) if loss.task() == Task::Regression => {
            return wrong("numbers", "classes", "use the loss auto, or another target");
        }
        // Softmax takes any number of classes, even a single one.
        Target::Classes(labels)
            if loss.width() == 1 && labels.n_classes() != 2 && loss.link() != Link::Softmax =>
        {
            let found = if labels.n_classes() == 1 { "one class" } else { "more than two" };
            return wrong("two classes", found, "use the loss softmax");
        }
        Target::Classes(_) | Target::Numbers(_) => {}
        Target::Several(_) | Target::SeveralClasses(_) => {
            if loss.n_targets() != Targets::of(target).per_row() {
                let hint = "use a loss that weald knows by name, or a model for each target";
                return wrong("one target a row", target.words(), hint);
            }
        }
    }
    if loss.link().fits(loss.width(), &loss.output(target)) {
        return Ok(());
    }
    out_of_range("link", format!("{:?}", loss.link()), "a link that fits the loss's predictions")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_with_numbers_are_read_back() {
        for text in
            ["huber:2", "quantile:0.25", "quantile:0.1,0.5,0.9", "tweedie:1.2", "lambdarank:7"]
        {
            let mut loss = LossChoice::Auto;
            assert!(loss.parse(text) && loss.show() == text, "{loss:?}");
            assert_eq!(loss.check(), Ok(()));
        }
        for text in
            ["huber:1,2", "tweedie:", "quantile:a", "quantile:0.1,,0.2", "cox:1", "lambdarank:-1"]
        {
            assert!(!LossChoice::Auto.parse(text), "{text}");
        }
    }

    #[test]
    fn levels_must_rise_between_0_and_1() {
        for text in ["quantile:0.5,0.5", "quantile:0.9,0.1", "quantile:0.5,1", "quantile:0,0.5"] {
            let mut loss = LossChoice::Auto;
            assert!(loss.parse(text), "{text}");
            let error = loss.check().unwrap_err().to_string();
            assert!(error.contains("rising levels between 0 and 1"), "{error}");
        }
    }
}

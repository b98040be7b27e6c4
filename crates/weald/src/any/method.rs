//! The names of the methods.

use super::AnyLearner;
use crate::adaboost::{AdaBoost, Algorithm, Redraw};
use crate::bag::Bagging;
use crate::base::constant::Constant;
use crate::base::linear::Linear;
use crate::base::naive_bayes::NaiveBayes;
use crate::base::nearest_neighbours::NearestNeighbours;
use crate::boost::GradientBoosting;
use crate::combine::{
    Aggregate, Calibration, DynamicSelection, MixtureOfExperts, MultiClass, Scheme, Stacking,
    Voting, Weighing, WeightedCommittee,
};
use crate::ensemble::Named;
use crate::error::{Error, Result, nearest};
use crate::forest::density::DensityForest;
use crate::forest::{IsolationForest, RandomForest};
use crate::tree::{DecisionTree, Stump};

/// A method that can be named.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The method with its default hyper-parameters.
    pub make: fn() -> AnyLearner,
}

/// Every method, in the order they are listed.
pub const METHODS: &[Method] = &[
    Method {
        name: "gradient-boosting",
        summary: "trees one after the other along the gradient of a loss",
        source: "Friedman 2001; Chen & Guestrin 2016",
        make: || AnyLearner::GradientBoosting(GradientBoosting::default()),
    },
    Method {
        name: "boosted-regression-trees",
        summary: "trees of a few splits one after the other on residuals, from 0",
        source: "James, Witten, Hastie & Tibshirani, ISLR, Algorithm 8.2",
        make: || AnyLearner::GradientBoosting(GradientBoosting::islr(1000, 1, 0.01)),
    },
    Method {
        name: "random-forest",
        summary: "deep trees on bootstraps of the rows, a few features drawn for each split",
        source: "Breiman 2001",
        make: || AnyLearner::RandomForest(RandomForest::default()),
    },
    Method {
        name: "extra-trees",
        summary: "deep trees whose split points are drawn at random",
        source: "Geurts, Ernst & Wehenkel 2006",
        make: || AnyLearner::RandomForest(RandomForest::extra_trees()),
    },
    Method {
        name: "bagging",
        summary: "any method on bootstraps of the rows; full trees unless told otherwise",
        source: "Breiman 1996",
        make: || bagging(Bagging::of),
    },
    Method {
        name: "pasting",
        summary: "any method on parts of the rows, none of them twice",
        source: "Breiman 1999",
        make: || bagging(Bagging::pasting),
    },
    Method {
        name: "random-subspace",
        summary: "any method on all rows and a share of the columns",
        source: "Ho 1998",
        make: || bagging(Bagging::random_subspace),
    },
    Method {
        name: "random-patches",
        summary: "any method on a share of the rows and of the columns",
        source: "Louppe & Geurts 2012",
        make: || bagging(Bagging::random_patches),
    },
    Method {
        name: "adaboost",
        summary: "weak members one after the other, each dwelling on what those before it got wrong",
        source: "Freund & Schapire 1997",
        make: || adaboost(Algorithm::Auto),
    },
    Method {
        name: "samme",
        summary: "AdaBoost for several classes: members need only be better than chance",
        source: "Zhu, Zou, Rosset & Hastie 2009",
        make: || adaboost(Algorithm::Samme),
    },
    Method {
        name: "adaboost-m1",
        summary: "AdaBoost for several classes: members must be right more often than wrong",
        source: "Freund & Schapire 1997",
        make: || adaboost(Algorithm::M1),
    },
    Method {
        name: "adaboost-mh",
        summary: "AdaBoost over pairs of a row and a class",
        source: "Schapire & Singer 1999",
        make: || adaboost(Algorithm::Mh),
    },
    Method {
        name: "adaboost-m2",
        summary: "AdaBoost by how plausible members find each class",
        source: "Freund & Schapire 1997",
        make: || adaboost(Algorithm::M2),
    },
    Method {
        name: "adaboost-mr",
        summary: "AdaBoost that ranks the right class above the others",
        source: "Schapire & Singer 1999",
        make: || adaboost(Algorithm::Mr),
    },
    Method {
        name: "adaboost-star",
        summary: "AdaBoost towards the largest margin, for two classes",
        source: "Rätsch & Warmuth 2005",
        make: || adaboost(Algorithm::STAR),
    },
    Method {
        name: "real-adaboost",
        summary: "AdaBoost by the log odds that members give",
        source: "Friedman, Hastie & Tibshirani 2000",
        make: || adaboost(Algorithm::Real),
    },
    Method {
        name: "gentle-adaboost",
        summary: "Newton steps on the exponential loss",
        source: "Friedman, Hastie & Tibshirani 2000",
        make: || adaboost(Algorithm::Gentle),
    },
    Method {
        name: "logitboost",
        summary: "Newton steps on the logistic loss",
        source: "Friedman, Hastie & Tibshirani 2000",
        make: || adaboost(Algorithm::Logit),
    },
    Method {
        name: "adaboost-r2",
        summary: "AdaBoost for numbers: rows that are far off get heavier",
        source: "Drucker 1997",
        make: || regression(Algorithm::R2),
    },
    Method {
        name: "adaboost-r",
        summary: "AdaBoost for numbers as questions of yes and no",
        source: "Freund & Schapire 1997",
        make: || regression(Algorithm::R),
    },
    Method {
        name: "adaboost-rt",
        summary: "AdaBoost for numbers with a threshold on the relative error",
        source: "Solomatine & Shrestha 2004",
        make: || regression(Algorithm::RT),
    },
    Method {
        name: "voting",
        summary: "several methods, each fitted on all rows; their answers are averaged, or they vote",
        source: "Kuncheva 2004",
        make: || AnyLearner::Voting(Box::new(Voting::of(members()))),
    },
    Method {
        name: "stacking",
        summary: "several methods, and one that learns whom of them to believe",
        source: "Wolpert 1992",
        make: || AnyLearner::Stacking(Box::new(Stacking::of(members(), last()))),
    },
    Method {
        name: "blending",
        summary: "stacking by a share of the rows that is held out",
        source: "Töscher, Jahrer & Bell 2009",
        make: || AnyLearner::Stacking(Box::new(Stacking::blending(members(), last()))),
    },
    Method {
        name: "super-learner",
        summary: "the mean of several methods with the least squared error on rows not seen",
        source: "Breiman 1996; van der Laan, Polley & Hubbard 2007",
        make: || weighted(Weighing::LeastSquares),
    },
    Method {
        name: "ensemble-selection",
        summary: "several methods, added one by one to the committee that they help most",
        source: "Caruana, Niculescu-Mizil, Crew & Ksikes 2004",
        make: || weighted(Weighing::Selection(50)),
    },
    Method {
        name: "bayes-optimal",
        summary: "several methods, each believed as far as it has foreseen rows not seen",
        source: "Mitchell 1997; Hoeting, Madigan, Raftery & Volinsky 1999",
        make: || weighted(Weighing::Bayes),
    },
    Method {
        name: "dynamic-selection",
        summary: "several methods, of which those answer that are right about the rows nearby",
        source: "Ko, Sabourin & Britto 2008",
        make: || AnyLearner::DynamicSelection(Box::new(DynamicSelection::of(members()))),
    },
    Method {
        name: "mixture-of-experts",
        summary: "experts, each for a region, and a gate that tells whom to believe where",
        source: "Jacobs, Jordan, Nowlan & Hinton 1991; Jordan & Jacobs 1994",
        make: || AnyLearner::MixtureOfExperts(Box::new(MixtureOfExperts::of(expert()))),
    },
    Method {
        name: "one-vs-rest",
        summary: "several classes by a method of two: each class against all others",
        source: "Rifkin & Klautau 2004",
        make: || multi_class(Scheme::OneVsRest),
    },
    Method {
        name: "one-vs-one",
        summary: "several classes by a method of two: each class against each other",
        source: "Hastie & Tibshirani 1998; Wu, Lin & Weng 2004; Platt et al. 2000",
        make: || multi_class(Scheme::OneVsOne(Aggregate::Coupling)),
    },
    Method {
        name: "output-codes",
        summary: "several classes by a method of two: sets of classes, so that mistakes are mended",
        source: "Dietterich & Bakiri 1995",
        make: || multi_class(Scheme::OutputCodes(None)),
    },
    Method {
        name: "calibration",
        summary: "any method, with its probabilities put right by rows that it has not seen",
        source: "Platt 1999; Zadrozny & Elkan 2002; Guo, Pleiss, Sun & Weinberger 2017",
        make: || {
            let base = AnyLearner::RandomForest(RandomForest::default());
            AnyLearner::Calibration(Box::new(Calibration::of(base)))
        },
    },
    Method {
        name: "isolation-forest",
        summary: "completely random trees on few rows each, by which anomalies are soon alone; no target",
        source: "Liu, Ting & Zhou 2008",
        make: || AnyLearner::IsolationForest(IsolationForest::default()),
    },
    Method {
        name: "extended-isolation-forest",
        summary: "isolation by cuts across random directions; no target",
        source: "Hariri, Carrasco Kind & Brunner 2019",
        make: || AnyLearner::IsolationForest(IsolationForest::extended()),
    },
    Method {
        name: "sci-forest",
        summary: "isolation by the cuts that separate best, for anomalies that lie together; no target",
        source: "Liu, Ting & Zhou 2010",
        make: || AnyLearner::IsolationForest(IsolationForest::sci()),
    },
    Method {
        name: "density-forest",
        summary: "a density from the cells of completely random trees; no target",
        source: "Liu, Ting, Yu & Zhou 2008; leaf mass over leaf volume",
        make: || AnyLearner::DensityForest(DensityForest::default()),
    },
    Method {
        name: "decision-tree",
        summary: "one tree; Gini for classes, variance for numbers",
        source: "Breiman, Friedman, Olshen & Stone 1984",
        make: || AnyLearner::DecisionTree(DecisionTree::default()),
    },
    Method {
        name: "c45",
        summary: "one tree for classes by gain ratio, pruned by estimated error",
        source: "Quinlan 1993",
        make: || AnyLearner::DecisionTree(DecisionTree::c45()),
    },
    Method {
        name: "stump",
        summary: "a tree of one split",
        source: "Iba & Langley 1992",
        make: || AnyLearner::Stump(Stump::default()),
    },
    Method {
        name: "linear",
        summary: "a sum over columns: logistic regression for classes, ridge for numbers",
        source: "Cox 1958; Hoerl & Kennard 1970",
        make: || AnyLearner::Linear(Linear::default()),
    },
    Method {
        name: "ridge",
        summary: "least squares with a penalty on coefficients",
        source: "Hoerl & Kennard 1970",
        make: || AnyLearner::Linear(Linear::ridge()),
    },
    Method {
        name: "logistic-regression",
        summary: "log odds that are sums over columns, with a penalty on coefficients",
        source: "Cox 1958",
        make: || AnyLearner::Linear(Linear::logistic()),
    },
    Method {
        name: "linear-svm",
        summary: "the widest margin between a class and the rest",
        source: "Cortes & Vapnik 1995; Platt 1999",
        make: || AnyLearner::Linear(Linear::svm()),
    },
    Method {
        name: "naive-bayes",
        summary: "classes by each column alone, as if none knew of the others",
        source: "Maron 1961; Domingos & Pazzani 1997",
        make: || AnyLearner::NaiveBayes(NaiveBayes::default()),
    },
    Method {
        name: "nearest-neighbours",
        summary: "the classes or the mean of the rows most like a row",
        source: "Fix & Hodges 1951; Cover & Hart 1967",
        make: || AnyLearner::NearestNeighbours(NearestNeighbours::default()),
    },
    Method {
        name: "constant",
        summary: "the class shares, or the mean, whatever the row",
        source: "the baseline of every table of metrics",
        make: || AnyLearner::Constant(Constant {}),
    },
];

fn bagging(of: fn(AnyLearner) -> Bagging<AnyLearner>) -> AnyLearner {
    AnyLearner::Bagging(Box::new(of(AnyLearner::DecisionTree(DecisionTree::default()))))
}

/// Members of different kinds, for classes and for numbers.
fn members() -> Vec<Named<AnyLearner>> {
    vec![
        Named::new("gradient-boosting", AnyLearner::GradientBoosting(GradientBoosting::default())),
        Named::new("random-forest", AnyLearner::RandomForest(RandomForest::default())),
        Named::new("linear", AnyLearner::Linear(Linear::default())),
    ]
}

/// What learns from members.
fn last() -> AnyLearner {
    AnyLearner::Linear(Linear::default())
}

/// What experts are: hardly penalised, since a penalty is no part of the likelihood.
fn expert() -> AnyLearner {
    AnyLearner::Linear(Linear { l2: 1e-3, ..Linear::default() })
}

fn weighted(weighing: Weighing) -> AnyLearner {
    AnyLearner::Weighted(Box::new(WeightedCommittee::of(members(), weighing)))
}

/// Linear models know two classes best.
fn multi_class(scheme: Scheme) -> AnyLearner {
    let base = AnyLearner::Linear(Linear::default());
    AnyLearner::MultiClass(Box::new(MultiClass { scheme, ..MultiClass::of(base) }))
}

/// AdaBoost of stumps.
fn adaboost(algorithm: Algorithm) -> AnyLearner {
    let base = AnyLearner::Stump(Stump::default());
    AnyLearner::AdaBoost(Box::new(AdaBoost { algorithm, ..AdaBoost::of(base) }))
}

/// AdaBoost of trees of three levels: stumps are too weak for numbers.
fn regression(algorithm: Algorithm) -> AnyLearner {
    let tree = DecisionTree { max_depth: Some(3), ..DecisionTree::default() };
    let base = AnyLearner::DecisionTree(tree);
    // As their authors have it: R2 draws rows by weight, the others weigh them.
    let resampling = match algorithm {
        Algorithm::R2 { .. } => Redraw::Once,
        _ => Redraw::None,
    };
    AnyLearner::AdaBoost(Box::new(AdaBoost { algorithm, resampling, ..AdaBoost::of(base) }))
}

impl AnyLearner {
    /// The method called `name`, with its default hyper-parameters.
    pub fn named(name: &str) -> Result<AnyLearner> {
        METHODS.iter().find(|m| m.name == name).map(|m| (m.make)()).ok_or_else(|| {
            Error::UnknownMethod {
                name: name.into(),
                nearest: nearest(name, METHODS.iter().map(|m| m.name)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_that_can_be_set() {
        for method in METHODS {
            let mut learner = (method.make)();
            for setting in learner.settings() {
                learner.set(&setting.name, &setting.value).unwrap();
            }
            assert_eq!(learner, (method.make)());
        }
    }

    #[test]
    fn typos_are_answered_with_a_name() {
        let error = AnyLearner::named("decison-tree").unwrap_err().to_string();
        assert!(error.contains("did you mean \"decision-tree\""), "{error}");
        let mut tree = AnyLearner::named("decision-tree").unwrap();
        let error = tree.set("max_dept", "3").unwrap_err().to_string();
        assert!(error.contains("did you mean \"max_depth\""), "{error}");
        let error = tree.set("max_depth", "deep").unwrap_err().to_string();
        assert_eq!(error, "`max_depth` is \"deep\"; expected a whole number or none");
        tree.set("min_gain", "-1").unwrap();
        assert!(tree.check().is_err());
    }
}

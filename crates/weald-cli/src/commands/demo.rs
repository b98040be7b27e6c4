//! `weald demo`: the lectures' worked examples, step by step.

mod anomalies;
mod boosting;
mod telling;
mod three_voters;
mod toy;
mod xor;

use crate::args::DemoArguments;
use crate::failure::Result;
use crate::named::{self, Named};

/// Shows a demo, as JSON or in words.
type Show = fn(bool) -> Result<()>;

/// The demos, in the order of the lectures.
const DEMOS: &[Named<Show>] = &[
    Named {
        name: "three-voters",
        about: "a vote that errs more often than each of its voters",
        run: three_voters::run,
    },
    Named { name: "xor", about: "AdaBoost on four points, by eight half-planes", run: xor::run },
    Named {
        name: "toy",
        about: "AdaBoost on Schapire's ten points, by half-planes",
        run: toy::run,
    },
    Named {
        name: "anomalies",
        about: "anomalies that lie together, by density and by isolation",
        run: anomalies::run,
    },
];

/// Shows a demo, or lists them.
pub fn run(arguments: &DemoArguments) -> Result<()> {
    match named::find(DEMOS, arguments.name.as_deref(), "demo")? {
        Some(demo) => (demo.run)(arguments.json),
        None => named::list(DEMOS, "demo", arguments.json),
    }
}

//! `weald reproduce`: published results beside ours.

mod catalogue;
mod letter;
mod uci;

use crate::args::ReproduceArguments;
use crate::failure::{Failure, Kind, Result};
use crate::named::{self, Named};

/// Works a result out, and shows it.
type WorkOut = fn(&ReproduceArguments) -> Result<()>;

/// The results that there are.
const RESULTS: &[Named<WorkOut>] = &[
    Named {
        name: "letter",
        about: "boosted C4.5-like trees on letter recognition: errors and margins",
        run: letter::run,
    },
    Named {
        name: "uci",
        about: "C4.5, boosted stumps and boosted C4.5 on many sets: errors, and who wins",
        run: uci::run,
    },
];

/// Works a result out, or lists them.
pub fn run(arguments: &ReproduceArguments) -> Result<()> {
    let Some(result) = named::find(RESULTS, arguments.name.as_deref(), "reproduce")? else {
        return named::list(RESULTS, "reproduce", arguments.json);
    };
    if arguments.rounds == Some(0) {
        return Err(Failure::new(Kind::Usage, "--rounds is 0").fact("expected at least 1"));
    }
    if result.name != "uci" && !arguments.only.is_empty() {
        let headline = format!("--only does not go with {}", result.name);
        return Err(Failure::new(Kind::Usage, headline).fact("it is for uci"));
    }
    (result.run)(arguments)
}

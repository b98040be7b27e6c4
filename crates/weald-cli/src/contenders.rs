//! Several methods side by side, each with parameters of its own.

use weald::any::AnyLearner;
use weald::error::{nearest, quoted};

use crate::commands::learns_a_target;
use crate::failure::{Failure, Kind, Result};

/// A method that takes part.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Its name.
    pub name: String,
    /// The method, with its parameters set.
    pub learner: AnyLearner,
}

/// The methods of these names; settings are `METHOD.KEY=VALUE`.
pub fn contenders(methods: &[String], settings: &[String]) -> Result<Vec<Contender>> {
    let names: Vec<&str> = methods.iter().map(|name| name.trim()).collect();
    if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        let headline = format!("--methods names {} twice", quoted(names[at]));
        return Err(Failure::new(Kind::Usage, headline).help("name each method once"));
    }
    for setting in settings {
        check_setting(setting, &names)?;
    }
    let contender = |name: &&str| {
        let own = |setting: &String| {
            let (method, rest) = setting.split_once('.')?;
            (method.trim() == *name).then(|| rest.to_string())
        };
        let own: Vec<String> = settings.iter().filter_map(own).collect();
        Ok(Contender { name: name.to_string(), learner: learns_a_target(name, &own)? })
    };
    names.iter().map(contender).collect()
}

/// Whether a setting names one of the methods.
fn check_setting(setting: &str, names: &[&str]) -> Result<()> {
    let example = names.first().copied().unwrap_or("METHOD");
    let Some((method, _)) = setting.split_once('.') else {
        return Err(Failure::new(
            Kind::Usage,
            format!("--set {} names no method", quoted(setting)),
        )
        .fact(format!("expected METHOD.KEY=VALUE, such as {example}.KEY=VALUE"))
        .help("`weald methods NAME` lists the keys"));
    };
    if names.contains(&method.trim()) {
        return Ok(());
    }
    let headline = format!("--set {}: the method does not take part", quoted(setting));
    Err(Failure::new(Kind::Usage, headline)
        .fact(format!("the methods are {}", names.join(", ")))
        .suggest(nearest(method.trim(), names.iter().copied())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(methods: &[&str], settings: &[&str]) -> Result<Vec<Contender>> {
        let owned = |words: &[&str]| words.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        contenders(&owned(methods), &owned(settings))
    }

    #[test]
    fn settings_go_to_their_method() {
        let both = of(&["stump", "bagging"], &["bagging.base.max_depth=3", "bagging.n_members=7"]);
        let both = both.ok().unwrap();
        let value = |contender: &Contender, key: &str| {
            let settings = contender.learner.settings();
            settings.iter().find(|s| s.name == key).map(|s| s.value.clone())
        };
        assert_eq!(value(&both[1], "base.max_depth"), Some("3".into()));
        assert_eq!(value(&both[1], "n_members"), Some("7".into()));
        assert_eq!(both[0].learner, AnyLearner::named("stump").unwrap());
    }

    #[test]
    fn mistakes_are_named() {
        let said = |methods: &[&str], settings: &[&str]| {
            of(methods, settings).err().unwrap().render(false)
        };
        assert!(said(&["stump"], &["max_depth=3"]).contains("names no method"));
        assert!(said(&["stump"], &["stum.x=3"]).contains("did you mean \"stump\"?"));
        assert!(said(&["stump", "stump"], &[]).contains("twice"));
        assert!(said(&["stomp"], &[]).contains("there is no method"));
        assert!(said(&["isolation-forest"], &[]).contains("learns no target"));
    }
}

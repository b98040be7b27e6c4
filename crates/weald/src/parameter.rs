//! Hyper-parameters by name and as text, for files, the program and Python.
//!
//! A method lists its fields once; reading, setting and describing them all use that list.

use std::borrow::Cow;

use crate::error::{Error, Result, nearest};

/// A method whose hyper-parameters can be read and set by name.
pub trait Parameters: Clone {
    /// The method's name.
    fn method(&self) -> &'static str;

    /// Every hyper-parameter, once.
    fn parameters(&mut self) -> Vec<Parameter<'_>>;

    /// Whether all values are in range and go together. Fitting asks it first.
    fn check(&self) -> Result<()>;

    /// Sets one hyper-parameter from text. Only the text is checked: whether values go together is
    /// asked by [`check`](Parameters::check) when all are set, so that their order does not matter.
    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        self.set_own(name, value)
    }

    /// Sets one of the listed hyper-parameters.
    fn set_own(&mut self, name: &str, value: &str) -> Result<()> {
        let method = self.method();
        let mut parameters = self.parameters();
        let Some(at) = parameters.iter().position(|p| p.name == name) else {
            return Err(Error::UnknownParameter {
                method: method.into(),
                name: name.into(),
                nearest: nearest(name, parameters.iter().map(|p| p.name)),
            });
        };
        let parameter = &mut parameters[at];
        if !parameter.value.parse(value) {
            return Err(Error::Parameter {
                name: name.into(),
                value: value.into(),
                expected: parameter.value.expected(),
            });
        }
        Ok(())
    }

    /// Every hyper-parameter with its value as text and its meaning.
    fn settings(&self) -> Vec<Setting> {
        self.own_settings()
    }

    /// The listed hyper-parameters with their values as text and their meanings.
    fn own_settings(&self) -> Vec<Setting> {
        let mut copy = self.clone();
        let describe = |p: Parameter<'_>| Setting {
            name: p.name.into(),
            value: p.value.show(),
            expected: p.value.expected(),
            meaning: p.meaning,
        };
        copy.parameters().into_iter().map(describe).collect()
    }
}

/// One hyper-parameter of a method.
pub struct Parameter<'a> {
    /// Its name, as in the Rust struct.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Its place in the method.
    pub value: &'a mut dyn Value,
}

/// One hyper-parameter as text.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its name; that of another method's parameter stands behind a prefix, as in `base.max_depth`.
    pub name: Cow<'static, str>,
    /// Its value.
    pub value: String,
    /// What values it takes.
    pub expected: String,
    /// What it does, in one line.
    pub meaning: &'static str,
}

/// A value that can be written and read as text.
pub trait Value {
    /// The value as text, which `parse` reads back.
    fn show(&self) -> String;
    /// Takes the value from text; `false`, and no change, if the text does not fit.
    fn parse(&mut self, text: &str) -> bool;
    /// What texts fit, in words.
    fn expected(&self) -> String;
}

impl Value for usize {
    fn show(&self) -> String {
        self.to_string()
    }
    fn parse(&mut self, text: &str) -> bool {
        text.parse().map(|v| *self = v).is_ok()
    }
    fn expected(&self) -> String {
        "a whole number".into()
    }
}

impl Value for bool {
    fn show(&self) -> String {
        self.to_string()
    }
    fn parse(&mut self, text: &str) -> bool {
        text.parse().map(|v| *self = v).is_ok()
    }
    fn expected(&self) -> String {
        "true or false".into()
    }
}

impl Value for f64 {
    fn show(&self) -> String {
        self.to_string()
    }
    fn parse(&mut self, text: &str) -> bool {
        match text.parse::<f64>() {
            Ok(v) if v.is_finite() => {
                *self = v;
                true
            }
            _ => false,
        }
    }
    fn expected(&self) -> String {
        "a number".into()
    }
}

impl Value for Vec<f64> {
    fn show(&self) -> String {
        let texts: Vec<String> = self.iter().map(f64::to_string).collect();
        if texts.is_empty() { "none".into() } else { texts.join(",") }
    }
    fn parse(&mut self, text: &str) -> bool {
        let finite = |part: &str| part.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let parsed = match text {
            "none" => Some(Vec::new()),
            _ => text.split(',').map(finite).collect(),
        };
        parsed.map(|numbers| *self = numbers).is_some()
    }
    fn expected(&self) -> String {
        "numbers with commas between them, or none".into()
    }
}

impl Value for Option<usize> {
    fn show(&self) -> String {
        self.map_or("none".into(), |v| v.to_string())
    }
    fn parse(&mut self, text: &str) -> bool {
        if text == "none" {
            *self = None;
            return true;
        }
        text.parse().map(|v| *self = Some(v)).is_ok()
    }
    fn expected(&self) -> String {
        "a whole number or none".into()
    }
}

/// A value that is given, or left to the method, which chooses it by the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice<T> {
    /// Chosen by the data.
    Auto,
    /// Exactly this.
    Set(T),
}

impl<T> Choice<T> {
    /// The value that was given.
    pub fn given(self) -> Option<T> {
        match self {
            Choice::Auto => None,
            Choice::Set(value) => Some(value),
        }
    }
}

impl<T> From<T> for Choice<T> {
    fn from(value: T) -> Choice<T> {
        Choice::Set(value)
    }
}

impl<T: Value + Default> Value for Choice<T> {
    fn show(&self) -> String {
        match self {
            Choice::Auto => "auto".into(),
            Choice::Set(value) => value.show(),
        }
    }
    fn parse(&mut self, text: &str) -> bool {
        let mut value = T::default();
        match text {
            "auto" => *self = Choice::Auto,
            _ if value.parse(text) => *self = Choice::Set(value),
            _ => return false,
        }
        true
    }
    fn expected(&self) -> String {
        format!("{} or auto", T::default().expected())
    }
}

/// Makes a field-less enum a [`Value`] whose texts are the given names.
macro_rules! named_values {
    ($type:ty { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $crate::parameter::Value for $type {
            fn show(&self) -> String {
                match self { $(Self::$variant => $name.into()),+ }
            }
            fn parse(&mut self, text: &str) -> bool {
                match text {
                    $($name => *self = Self::$variant,)+
                    _ => return false,
                }
                true
            }
            fn expected(&self) -> String {
                [$($name),+].join(", ")
            }
        }
    };
}
pub(crate) use named_values;

/// Lists fields of `self` as parameters, each with its meaning.
macro_rules! parameter_list {
    ($self:ident, $($name:ident: $meaning:literal),+ $(,)?) => {
        vec![$($crate::parameter::Parameter {
            name: stringify!($name),
            meaning: $meaning,
            value: &mut $self.$name,
        }),+]
    };
}
pub(crate) use parameter_list;

/// An error for a parameter out of range.
pub fn out_of_range<T>(name: &str, value: impl ToString, expected: &str) -> Result<T> {
    Err(Error::Parameter { name: name.into(), value: value.to_string(), expected: expected.into() })
}

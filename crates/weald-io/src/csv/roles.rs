//! Which columns to parse as words from the start: those the caller lists, and those whose first
//! rows hold a word. A column that is not guessed here and meets a word later is parsed again.

use weald::error::nearest;

use super::chunk::Role;
use super::dialect::Dialect;
use super::field::{record_at, skip_blank_lines};
use super::header::Header;
use super::text::Text;
use crate::error::ReadError;
use crate::missing::Tokens;
use crate::number;
use crate::options::ReadOptions;

const SAMPLE_ROWS: usize = 100;

/// A role for each column.
pub(crate) struct Choice {
    pub roles: Vec<Role>,
    /// Whether a word in the column is an error.
    pub must_be_numbers: Vec<bool>,
    /// Whether the role is a guess, rather than the caller's word.
    pub guessed: Vec<bool>,
}

/// The roles that the caller and the first rows call for.
pub(crate) fn choose(
    text: Text<'_>,
    header: &Header,
    dialect: Dialect,
    tokens: &Tokens,
    options: &ReadOptions,
) -> Result<Choice, ReadError> {
    let names = &header.names;
    check_names(text.name, names, options)?;
    let mut roles = vec![Role::Number; names.len()];
    let bytes = text.bytes;
    let mut at = header.end;
    for _ in 0..SAMPLE_ROWS {
        at = skip_blank_lines(bytes, at, bytes.len());
        // What is wrong with a record is reported where all of them are parsed.
        let Ok((fields, end)) = record_at(bytes, at, bytes.len(), dialect.separator) else { break };
        for (role, field) in roles.iter_mut().zip(fields) {
            let text = field.text();
            let is_number = number::parse(&text, dialect.point).is_some()
                || number::grouped(&text, dialect.point).is_some();
            if !is_number && tokens.in_numbers(&text).is_none() {
                *role = Role::Word;
            }
        }
        at = end;
        if at >= bytes.len() {
            break;
        }
    }
    let must_be_numbers: Vec<bool> = names.iter().map(|n| options.numeric.contains(n)).collect();
    let categorical: Vec<bool> = names.iter().map(|n| options.categorical.contains(n)).collect();
    for (column, role) in roles.iter_mut().enumerate() {
        if options.skip.contains(&names[column]) {
            *role = Role::Skip;
        } else if categorical[column] {
            *role = Role::Word;
        } else if must_be_numbers[column] {
            *role = Role::Number;
        }
    }
    let guessed = categorical.iter().zip(&must_be_numbers).map(|(c, n)| !c && !n).collect();
    Ok(Choice { roles, must_be_numbers, guessed })
}

/// Refuses options that name columns which are not there, or one column twice over.
pub(crate) fn check_names(
    file: &str,
    names: &[String],
    options: &ReadOptions,
) -> Result<(), ReadError> {
    if let Some(name) = options.categorical.iter().find(|n| options.numeric.contains(n)) {
        return Err(ReadError::BothKinds { name: name.clone() });
    }
    for (option, list) in [
        ("categorical", &options.categorical),
        ("numeric", &options.numeric),
        ("drop", &options.skip),
    ] {
        if let Some(name) = list.iter().find(|n| !names.contains(n)) {
            return Err(ReadError::UnknownColumn {
                file: file.into(),
                option,
                name: name.clone(),
                columns: names.to_vec(),
                nearest: nearest(name, names.iter().map(String::as_str)),
            });
        }
    }
    Ok(())
}

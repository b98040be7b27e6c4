//! A random table written as CSV in a random manner is read back the same, and no bytes whatever
//! make the reader panic.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use weald::data::{Column, MISSING};
use weald_io::{ReadOptions, read_bytes};

/// How a table is written.
#[derive(Debug, Clone)]
struct Manner {
    separator: char,
    line_end: &'static str,
    final_line_end: bool,
    mark: bool,
    /// Whether the field is quoted that this is asked about, in turn.
    quoted: Vec<bool>,
}

fn manner() -> impl Strategy<Value = Manner> {
    (
        prop::sample::select(vec![',', ';', '\t', '|']),
        prop::sample::select(vec!["\n", "\r\n", "\r"]),
        any::<bool>(),
        any::<bool>(),
        prop::collection::vec(any::<bool>(), 1..40),
    )
        .prop_map(|(separator, line_end, final_line_end, mark, quoted)| Manner {
            separator,
            line_end,
            final_line_end,
            mark,
            quoted,
        })
}

/// Rows of a number, a word and a number, each of which may be missing.
type Row = (Option<f64>, Option<String>, Option<i32>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let number = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
    let row = (
        prop::option::of(number),
        prop::option::of("[a-zé\"\n\r,;| \t#-]{0,8}w"),
        prop::option::of(any::<i32>()),
    );
    prop::collection::vec(row, 1..60)
}

fn write(rows: &[Row], manner: &Manner) -> String {
    let mut turn = manner.quoted.iter().cycle();
    let mut field = |text: &str| {
        let must = text.contains(['"', '\n', '\r', manner.separator]);
        if must || turn.next() == Some(&true) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_string()
        }
    };
    let mut lines = vec![
        "number,the word,whole"
            .split(',')
            .map(&mut field)
            .collect::<Vec<_>>()
            .join(&manner.separator.to_string()),
    ];
    for (number, word, whole) in rows {
        let texts = [
            number.map_or(String::new(), |n| format!("{n:?}")),
            word.clone().unwrap_or_default(),
            whole.map_or(String::new(), |n| n.to_string()),
        ];
        let fields: Vec<String> = texts.iter().map(|t| field(t)).collect();
        lines.push(fields.join(&manner.separator.to_string()));
    }
    let mut text = if manner.mark { String::from("\u{feff}") } else { String::new() };
    text += &lines.join(manner.line_end);
    if manner.final_line_end {
        text += manner.line_end;
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_was_written_is_read(rows in rows(), manner in manner()) {
        let text = write(&rows, &manner);
        let options = ReadOptions {
            separator: Some(manner.separator as u8),
            decimal_comma: Some(false),
            categorical: vec!["the word".into()],
            ..ReadOptions::default()
        };
        let table = read_bytes(text.as_bytes(), "random.csv", &options).unwrap().table;
        prop_assert_eq!(table.n_rows(), rows.len());
        prop_assert_eq!(table.names().collect::<Vec<_>>(), ["number", "the word", "whole"]);
        let [Column::Numeric(numbers), Column::Categorical(words), Column::Numeric(wholes)] =
            table.columns()
        else {
            panic!("other kinds")
        };
        for (row, (number, word, whole)) in rows.iter().enumerate() {
            match number {
                Some(n) => prop_assert_eq!(numbers.at(row).to_bits(), n.to_bits()),
                None => prop_assert!(numbers.at(row).is_nan()),
            }
            match words.codes()[row] {
                MISSING => prop_assert!(word.is_none()),
                code => prop_assert_eq!(Some(&words.levels()[code as usize]), word.as_ref()),
            }
            match whole {
                Some(n) => prop_assert_eq!(wholes.at(row), f64::from(*n)),
                None => prop_assert!(wholes.at(row).is_nan()),
            }
        }
    }

    #[test]
    fn the_separator_is_found(rows in rows(), manner in manner()) {
        // Words hold any of the separators, but only inside quotes or not as often as there are rows.
        let rows: Vec<Row> = rows.into_iter().map(|(n, _, w)| (n, Some("w".into()), w)).collect();
        let text = write(&rows, &manner);
        let table = read_bytes(text.as_bytes(), "random.csv", &ReadOptions::default()).unwrap().table;
        prop_assert_eq!((table.n_rows(), table.n_columns()), (rows.len(), 3));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Err(error) = read_bytes(&bytes, "random", &ReadOptions::default()) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn damaged_text_is_read_or_refused(
        rows in rows(),
        manner in manner(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        numeric: bool,
    ) {
        let mut bytes = write(&rows, &manner).into_bytes();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let numeric = if numeric { vec!["the word".into()] } else { vec![] };
        let options = ReadOptions { numeric, ..ReadOptions::default() };
        if let Err(error) = read_bytes(&bytes, "random.csv", &options) {
            let text = error.to_string();
            let control = |c: char| c.is_control() && c != '\n';
            prop_assert!(!text.contains(control), "{:?}", text);
        }
    }

    #[test]
    fn containers_with_noise_are_read_or_refused(
        kind in 0usize..5,
        noise in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let head: &[u8] = [
            &b"\x1f\x8b\x08\0"[..],
            &b"\x28\xb5\x2f\xfd"[..],
            &b"PAR1"[..],
            &b"ARROW1\0\0"[..],
            &b"\xff\xff\xff\xff\x10\0\0\0"[..],
        ][kind];
        let _ = read_bytes(&[head, &noise].concat(), "random", &ReadOptions::default());
    }
}

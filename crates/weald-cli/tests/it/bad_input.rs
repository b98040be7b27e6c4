//! Every bad input there is a rule for: none panics, each gets its exit code.

use crate::program::Folder;

/// A name, what is in the file, and the exit code of training on it with the target `y`.
type Case = (&'static str, Vec<u8>, i32);

fn cases() -> Vec<Case> {
    let text = |name, text: &str, code| (name, text.as_bytes().to_vec(), code);
    let utf16 = |text: &str| {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    };
    let table = "x,y\n1,a\n2,b\n3,a\n4,b\n5,a\n";
    vec![
        text("no_bytes.csv", "", 3),
        text("blank_lines.csv", "\n\n\n", 3),
        text("no_rows.csv", "x,y\n", 3),
        text("no_features.csv", "y\na\nb\n", 3),
        text("one_row.csv", "x,y\n1,a\n", 3),
        text("nan_target.csv", "x,y\n1,0.5\n2,NaN\n3,0.7\n", 3),
        text("infinite_target.csv", "x,y\n1,0.5\n2,inf\n3,0.7\n", 3),
        text("no_target_value.csv", "x,y\n1,\n2,\n", 3),
        text("single_class.csv", "x,y\n1,a\n2,a\n3,a\n4,a\n", 0),
        text("constant_column.csv", "x,z,y\n1,7,a\n2,7,b\n3,7,a\n4,7,b\n", 0),
        text("missing_column.csv", "x,z,y\n1,,a\n2,,b\n3,,a\n4,,b\n", 0),
        text("all_useless.csv", "x,y\n7,a\n7,b\n7,a\n7,b\n", 0),
        text("infinite_feature.csv", "x,y\n1,a\ninf,b\n-inf,a\n4,b\n", 0),
        text("extreme.csv", "x,y\n1e300,a\n5e-324,b\n-0.0,a\n-1e300,b\n", 0),
        text("too_large.csv", "x,y\n1e999,a\n2,b\n3,a\n4,b\n", 0),
        text("ragged.csv", "x,z,y\n1,2,a\n3,b\n", 3),
        text("too_many_fields.csv", "x,y\n1,a\n2,b,c\n", 3),
        text("unclosed_quote.csv", "x,y\n\"1,a\n2,b\n", 3),
        text("text_after_quote.csv", "x,y\n\"1\"2,a\n2,b\n", 3),
        ("bad_utf8.csv", b"x,y\n1,\xff\n2,b\n".to_vec(), 3),
        ("nul.csv", b"x,y\n1,a\0\n2,b\n".to_vec(), 3),
        ("gzip_cut.csv", b"\x1f\x8b\x08\x00\x00\x00\x00\x00".to_vec(), 3),
        ("zip.csv", b"PK\x03\x04\x14\x00\x00\x00\x08\x00".to_vec(), 3),
        ("parquet_cut.parquet", b"PAR1\x15\x04".to_vec(), 3),
        ("arrow_cut.arrow", b"ARROW1\0\0".to_vec(), 3),
        ("long_field.csv", [b"x,y\n", &[b'1'; 2 << 20][..], b",a\n"].concat(), 3),
        ("utf16.csv", utf16(table), 0),
        ("bom.csv", [b"\xef\xbb\xbf", table.as_bytes()].concat(), 0),
        text("crlf.csv", &table.replace('\n', "\r\n"), 0),
        text("lone_cr.csv", &table.replace('\n', "\r"), 0),
        text("no_final_newline.csv", table.trim_end(), 0),
        text("semicolon.csv", &table.replace(',', ";"), 0),
        text("tab.tsv", &table.replace(',', "\t"), 0),
        text("decimal_comma.csv", "x;y\n1,5;a\n2,5;b\n3,5;a\n4,5;b\n", 0),
        text("missing_tokens.csv", "x,y\nNA,a\nnull,b\n?,a\n,b\n5,a\n", 0),
        text("duplicate_names.csv", "x,x,y\n1,2,a\n", 3),
        text("empty_name.csv", "x,,y\n1,2,a\n3,4,b\n5,6,a\n", 0),
        text("no_target.csv", "x,z\n1,2\n", 3),
        text("identifier.csv", "id,x,y\nu1,1,a\nu2,2,b\nu3,1,a\nu4,2,b\n", 0),
        text("control_names.csv", "x\x1b[31m,y\n1,a\n2,b\n3,a\n", 0),
        text("html_names.csv", "<script>,y\n1,<b>\n2,&\n3,<b>\n", 0),
        text("very_many_classes.csv", &many_classes(), 0),
        text("not_a_table.csv", "just one line of prose", 3),
    ]
}

fn many_classes() -> String {
    (0..1000).fold(String::from("x,y\n"), |text, i| text + &format!("{i},class{i}\n"))
}

#[test]
fn no_bad_input_panics() {
    let folder = Folder::new();
    folder.write("good.csv", "x,y\n1,a\n2,b\n3,a\n4,b\n");
    let train = ["train", "good.csv", "-t", "y", "--test", "0", "-o", "good.weald"];
    assert_eq!(folder.run(&train).code, 0);
    let mut wrong = Vec::new();
    for (name, bytes, expected) in cases() {
        folder.write(name, &bytes);
        // Boosting would grow a tree for each class in each round.
        let method = if name == "very_many_classes.csv" { "c45" } else { "gradient-boosting" };
        let done = folder.run(&["train", name, "-t", "y", "-m", method, "-o", "m.weald"]);
        if done.code != expected {
            wrong.push(format!(
                "train {name}: {} instead of {expected}\n{}",
                done.code, done.stderr
            ));
        }
        let mut all = vec![done];
        all.push(folder.run(&["train", name, "-t", "y", "-m", method, "--cv", "2", "--json"]));
        all.push(folder.run(&["predict", "good.weald", name]));
        all.push(folder.pipe(&["predict", "good.weald"], &bytes));
        all.push(folder.run(&["evaluate", "good.weald", name]));
        all.push(folder.run(&["predict", name, "good.csv"]));
        all.push(folder.run(&["inspect", name]));
        all.push(folder.run(&["bootstrap", name, "--column", "x", "--resamples", "20"]));
        for done in all {
            let known = [0, 2, 3, 4, 5].contains(&done.code);
            if !known || done.stderr.contains("panicked") {
                wrong.push(format!("{name}: {}\n{}", done.code, done.stderr));
            }
            if done.code != 0 && !done.stderr.contains("error: ") {
                wrong.push(format!("{name}: fails without words\n{}", done.stderr));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn warnings_name_what_is_wrong() {
    let folder = Folder::new();
    for (name, bytes, word) in [
        ("single.csv", "x,y\n1,a\n2,a\n3,a\n4,a\n", "every row has the class \"a\""),
        ("constant.csv", "x,z,y\n1,7,a\n2,7,b\n3,7,a\n4,7,b\n", "\"z\""),
        ("absent.csv", "x,z,y\n1,,a\n2,,b\n3,,a\n4,,b\n", "\"z\""),
        ("infinite.csv", "x,y\n1,a\ninf,b\n3,a\n4,b\n", "infinite values"),
    ] {
        folder.write(name, bytes);
        let done = folder.run(&["train", name, "-t", "y", "--test", "0"]);
        assert_eq!(done.code, 0, "{name}: {}", done.stderr);
        assert!(done.stderr.contains("warning: ") && done.stderr.contains(word), "{}", done.stderr);
    }
}

//! Files made to do harm: each is refused for the reason that makes it harmful.

use serde_json::Value;
use sha2::{Digest, Sha256};
use weald::Error;
use weald::any::AnyModel;
use weald::ensemble::{Combiner, Ensemble, Member};
use weald::error::ModelFileError;
use weald::model::Model;
use weald::persist::{FORMAT_VERSION, from_bytes, from_bytes_unverified, to_bytes};

use super::golden;

/// A golden file taken apart.
pub struct File {
    pub header: String,
    pub data: Vec<u8>,
}

impl File {
    pub fn open(name: &str) -> File {
        let bytes = golden(name);
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let header = String::from_utf8(bytes[8..8 + length].to_vec()).unwrap();
        File { header, data: bytes[8 + length..].to_vec() }
    }

    /// Replaces text that must be in the header.
    pub fn replace(mut self, old: &str, new: &str) -> File {
        assert!(self.header.contains(old), "{old} is not in {}", self.header);
        self.header = self.header.replacen(old, new, 1);
        self
    }

    /// Overwrites the element `at` of an array.
    pub fn put<const N: usize>(mut self, array: &str, at: usize, element: [u8; N]) -> File {
        let header: Value = serde_json::from_str(&self.header).unwrap();
        let offset = header[array]["data_offsets"][0].as_u64().unwrap() as usize + at * N;
        self.data[offset..offset + N].copy_from_slice(&element);
        self
    }

    /// Overwrites the element `at` of an array of the container that the array `outer` is.
    pub fn put_within<const N: usize>(
        mut self,
        outer: &str,
        array: &str,
        at: usize,
        element: [u8; N],
    ) -> File {
        let header: Value = serde_json::from_str(&self.header).unwrap();
        let own = header[outer]["data_offsets"][0].as_u64().unwrap() as usize;
        let length = u64::from_le_bytes(self.data[own..own + 8].try_into().unwrap()) as usize;
        let body = own + 8 + length;
        let header: Value = serde_json::from_slice(&self.data[own + 8..body]).unwrap();
        let place = body + header[array]["data_offsets"][0].as_u64().unwrap() as usize + at * N;
        self.data[place..place + N].copy_from_slice(&element);
        self
    }

    /// Overwrites text in the data by text of the same length.
    fn rename(mut self, old: &str, new: &str) -> File {
        assert_eq!(old.len(), new.len());
        let at = self.data.windows(old.len()).position(|w| w == old.as_bytes()).unwrap();
        self.data[at..at + new.len()].copy_from_slice(new.as_bytes());
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let length = (self.header.len() as u64).to_le_bytes();
        [&length, self.header.as_bytes(), &self.data].concat()
    }

    /// The bytes with a digest that fits, as a forger would write it.
    fn sealed(&self) -> Vec<u8> {
        let mut bytes = self.bytes();
        bytes[48..112].fill(b'0');
        let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        bytes[48..112].copy_from_slice(digest.as_bytes());
        bytes
    }
}

/// That a forged file is refused as damaged, with these words.
pub fn refused(file: File, words: &str) {
    match from_bytes(&file.sealed()).unwrap_err() {
        Error::ModelFile(ModelFileError::Damaged(what)) if what.contains(words) => {}
        other => panic!("{other}; expected {words:?}"),
    }
}

fn regression() -> File {
    File::open("v1_regression")
}

fn classification() -> File {
    File::open("v1_classification")
}

fn additive() -> File {
    File::open("v1_additive")
}

#[test]
fn sums_of_trees_that_mean_nothing() {
    refused(additive().put("additive.link", 0, [9]), "its link is none of those known");
    refused(additive().put("additive.link", 0, [1]), "its link does not make 3 predictions");
    refused(additive().put("additive.link", 0, [2]), "its link does not make 3 predictions");
    let nan = f64::NAN.to_le_bytes();
    refused(additive().put("additive.start", 1, nan), "the start has the value NaN");
    refused(additive().put("node.value", 1, nan), "node 1 has the value NaN");
    let most = f64::MAX.to_le_bytes();
    let twice = additive().put("node.value", 1, most).put("node.value", 4, most);
    refused(twice, "its trees add up to infinity");
}

fn linear() -> File {
    File::open("v1_linear")
}

#[test]
fn linear_leaves_that_mean_nothing() {
    let node = |at, x: u64| linear().put("linear.node", at, x.to_le_bytes());
    refused(node(0, 0), "node 0 has slopes, but is no leaf");
    refused(node(2, 6), "node 0 has slopes, but is no leaf");
    refused(node(1, 1), "linear.node: 1 does not rise");
    refused(node(2, 2), "linear.node: 2 does not rise");
    refused(node(2, 9), "the linear leaf 9 is past the last node, 9");
    refused(node(2, u64::MAX), "the linear leaf 18446744073709551615 is past the last node, 9");
    let offset = |at, x: u64| linear().put("linear.offsets", at, x.to_le_bytes());
    refused(offset(0, 1), "linear.offsets: 1 follows 0");
    refused(offset(1, 0), "node 1 has slopes of the columns []");
    refused(offset(3, 5), "linear.offsets ends at 5, expected 4");
    let feature = |at, f: u32| linear().put("slope.feature", at, f.to_le_bytes());
    refused(feature(0, 1), "node 1 has a slope of column 1, not of numbers");
    refused(feature(0, 4), "node 1 has a slope of column 4, not of numbers");
    refused(feature(0, u32::MAX), "node 1 has a slope of column 4294967295");
    refused(feature(1, 2), "node 2 has slopes of the columns [2, 2]");
    let put = |array: &str, at, x: f64| linear().put(array, at, x.to_le_bytes());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        refused(put("slope.value", 0, bad), "node 1 has the slope");
        refused(put("slope.low", 1, bad), "node 2 has the slope -0.25 from");
        refused(put("slope.high", 1, bad), "node 2 has the slope -0.25 from -1 to");
        for array in ["linear.base", "linear.low", "linear.high"] {
            refused(put(array, 1, bad), "node 2 goes from");
        }
    }
    refused(put("slope.low", 1, 2.5), "node 2 has the slope -0.25 from 2.5 to 2");
    refused(put("linear.low", 2, -0.5), "node 2 goes from -1 by its slopes, within -0.5 and -0.75");
    refused(put("slope.value", 0, 1e9), "node 1 goes from -0 by its slopes");
    let far = put("slope.low", 0, -f64::MAX).put("slope.high", 0, f64::MAX.to_le_bytes());
    refused(far, "node 1 goes from -0 by its slopes");
    let far = put("linear.high", 0, f64::MAX).put("linear.high", 2, f64::MAX.to_le_bytes());
    refused(far, "its trees add up to infinity");
    let gone = |name: &str| linear().replace(name, &format!("{name}s"));
    refused(gone("linear.base"), "the array linear.base is not there");
    refused(gone("linear.high"), "the array linear.high is not there");
    refused(gone("slope.low"), "the array slope.low is not there");
    refused(gone("linear.node"), "there is a strange array");
}

/// Overwrites the element `at` of an array of a member.
fn put_in_member<const N: usize>(member: usize, array: &str, at: usize, element: [u8; N]) -> File {
    let mut file = File::open("v1_committee");
    let header: Value = serde_json::from_str(&file.header).unwrap();
    let start = |array: &str| header[array]["data_offsets"][0].as_u64().unwrap() as usize;
    let whole = |at: usize| u64::from_le_bytes(file.data[at..at + 8].try_into().unwrap()) as usize;
    let ends = start("committee.ends");
    let before = if member == 0 { 0 } else { whole(ends + 8 * (member - 1)) };
    let own = start("committee.members") + before;
    let body = own + 8 + whole(own);
    let own: Value = serde_json::from_slice(&file.data[own + 8..body]).unwrap();
    let place = body + own[array]["data_offsets"][0].as_u64().unwrap() as usize + at * N;
    file.data[place..place + N].copy_from_slice(&element);
    file
}

#[test]
fn committees_that_mean_nothing() {
    let committee = || File::open("v1_committee");
    refused(committee().put("committee.combiner", 0, [8]), "its combiner is [8]");
    let end = |at, x: u64| committee().put("committee.ends", at, x.to_le_bytes());
    refused(end(0, u64::MAX), "member 0 ends at byte 18446744073709551615");
    refused(end(1, 0), "member 1 ends at byte 0");
    refused(end(0, 0), "member 0: ");
    refused(end(0, 700), "member 0: ");
    refused(end(2, 1 << 40), "member 2 ends at byte");
    let weight = |at, x: f64| committee().put("committee.weights", at, x.to_le_bytes());
    refused(weight(1, f64::NAN), "its committee is none");
    refused(weight(1, f64::INFINITY), "its committee is none");
    refused(weight(0, -1.0), "its committee is none");
    let most = f64::MAX.to_le_bytes();
    refused(weight(0, f64::MAX).put("committee.weights", 1, most), "its committee is none");
    let zero = 0f64.to_le_bytes();
    let nothing = weight(0, 0.0).put("committee.weights", 1, zero);
    refused(nothing.put("committee.weights", 2, zero), "all 3 weights are zero");
    let error = |x: f64| committee().put("out_of_bag.errors", 1, x.to_le_bytes());
    refused(error(-0.5), "an out-of-bag error is -0.5");
    let gone = |name: &str| committee().replace(name, &format!("{name}s"));
    refused(gone("committee.weights"), "the array committee.weights is not there");
    refused(gone("out_of_bag.errors"), "there is a strange array");
}

#[test]
fn members_that_mean_nothing() {
    let column = |at, x: u32| put_in_member(0, "member.columns", at, x.to_le_bytes());
    refused(column(1, 4), "member 0: its 2 columns are not among the 4");
    refused(column(1, u32::MAX), "its 2 columns are not among the 4");
    refused(column(1, 2), "its 2 columns are not among the 4");
    refused(column(0, 3), "its 2 columns are not among the 4");
    // Other columns that are there: a rule must fit their kind.
    refused(column(0, 1), "does not fit");
    let feature = put_in_member(0, "node.feature", 2, 2u32.to_le_bytes());
    refused(feature, "member 0: node 2 asks for column 2 of 2");
    let value = put_in_member(0, "node.value", 4, 1.5f64.to_le_bytes());
    refused(value, "member 0: node 1 has the value 1.5");
    let value = put_in_member(2, "constant.value", 0, f64::NAN.to_le_bytes());
    refused(value, "member 2: the constant has the value NaN");
    let right = put_in_member(0, "node.right", 0, 1u32.to_le_bytes());
    refused(right, "a right child is node 1, expected node 2");
    refused(put_in_member(1, "additive.link", 0, [9]), "member 1: its link is none of those known");
    let name = |old: &str, new: &str| File::open("v1_committee").rename(old, new);
    refused(name("\"member.columns\"", "\"member.colours\""), "member 0: node 0");
    refused(name("\\\"kind\\\"", "\\\"kine\\\""), "member 0: its document");
    refused(name("\\\"tree\\\"", "\\\"wood\\\""), "unknown variant");
    refused(name("__metadata__", "__metadeta__"), "member 0: ");
    let curve = name("\\\"first_round\\\":1", "\\\"first_round\\\":-");
    refused(curve, "member 1: ");
}

#[test]
fn models_are_within_each_other_but_twice() {
    let mut trained = super::models::committee();
    let wrapped = |model: AnyModel| {
        let member = Member { schema: model.schema().clone(), model, columns: None };
        AnyModel::Committee(Ensemble::new(vec![member], vec![1.0], Combiner::Mean).unwrap())
    };
    trained.model = wrapped(trained.model);
    let bytes = to_bytes(&trained);
    assert!(to_bytes(&from_bytes(&bytes).unwrap()) == bytes);
    trained.model = wrapped(trained.model);
    let error = from_bytes(&to_bytes(&trained)).unwrap_err().to_string();
    assert!(error.contains("it is within 3 models, expected at most 2"), "{error}");
}

#[test]
fn numbers_are_not_voted_on() {
    let mut trained = super::models::regression();
    let schema = trained.model.schema().clone();
    let member = Member { schema, model: trained.model, columns: None };
    let committee = Ensemble::new(vec![member], vec![1.0], Combiner::Mean).unwrap();
    trained.model = AnyModel::Committee(Ensemble { combiner: Combiner::Vote, ..committee });
    let error = from_bytes(&to_bytes(&trained)).unwrap_err().to_string();
    assert!(error.contains("its committee is none: a vote needs classes"), "{error}");
}

#[test]
fn learning_curves_that_mean_nothing() {
    let nan = f64::NAN.to_le_bytes();
    refused(additive().put("curve.held_out", 1, nan), "a loss of its learning curve is NaN");
    let first = "\\\"first_round\\\":1";
    let late = first.replace(":1", ":9999999999");
    refused(additive().replace(first, &late), "begins after 9999999999 rounds");
    refused(additive().replace("curve.held_out", "curve.held_ou"), "curve.held_out is not there");
    refused(additive().replace("\\\"curve\\\"", "\\\"carve\\\""), "unknown field");
    let other = classification().replace(
        "\\\"metrics\\\":",
        "\\\"curve\\\":{\\\"loss\\\":\\\"\\\",\\\"rows\\\":\\\"\\\",\\\"first_round\\\":0},\\\"metrics\\\":",
    );
    refused(other, "a learning curve, but no rounds");
}

#[test]
fn an_untouched_file_passes_through_this_machinery() {
    assert_eq!(regression().sealed(), golden("v1_regression"));
    assert!(from_bytes(&classification().sealed()).is_ok());
}

#[test]
fn children_that_make_no_tree() {
    let right = |at: usize, child: u32| regression().put("node.right", at, child.to_le_bytes());
    refused(right(0, 0), "a right child is node 0, expected node 4");
    refused(right(1, 0), "a right child is node 0, expected node 3");
    refused(right(4, 4), "a right child is node 4");
    refused(right(4, 1), "a right child is node 1");
    refused(right(0, 3), "a right child is node 3, expected node 4");
    refused(right(4, 7), "a right child is node 7");
    refused(right(4, u32::MAX), "a right child is node 4294967295");
    refused(right(2, 1), "node 2 is a leaf with the child 1");
    refused(regression().put("node.flags", 6, [1]), "a tree ends with an inner node");
}

#[test]
fn rules_that_do_not_fit_the_columns() {
    let feature = |file: File, f: u32| file.put("node.feature", 0, f.to_le_bytes());
    refused(feature(regression(), 4), "node 0 asks for column 4 of 4");
    refused(feature(regression(), u32::MAX), "asks for column 4294967295");
    refused(feature(regression(), 1), "which holds categories");
    refused(feature(classification(), 0), "which holds numbers");
    refused(feature(classification(), 3), "a set of 1 words, expected 2");
    refused(regression().put("node.feature", 2, 0u32.to_le_bytes()), "node 2 has the flags 0");
    for flags in [3, 7, 8, 0x81] {
        refused(regression().put("node.flags", 0, [flags]), "node 0 has the flags");
    }
    refused(regression().put("node.flags", 2, [4]), "node 2 has the flags 4");
    let threshold = |x: f64| classification().put("node.threshold", 0, x.to_le_bytes());
    refused(threshold(-0.0), "node 0 has the flags 2");
}

#[test]
fn numbers_that_mean_nothing() {
    let put = |array: &str, at, x: f64| regression().put(array, at, x.to_le_bytes());
    refused(put("node.threshold", 0, f64::NAN), "node 0 has the threshold NaN");
    refused(put("node.value", 3, f64::INFINITY), "node 3 has the value inf");
    refused(put("node.value", 0, f64::NAN), "node 0 has the value NaN");
    refused(put("node.weight", 1, f64::INFINITY), "node 1 has the weight inf");
    refused(put("node.cost", 1, f64::NAN), "and the cost NaN");
    let share = |x: f64| classification().put("node.value", 3, x.to_le_bytes());
    refused(share(1.0 + f64::EPSILON), "expected a probability");
    refused(share(-f64::MIN_POSITIVE), "expected a probability");
    let constant = File::open("v1_constant").put("constant.value", 1, f64::NAN.to_le_bytes());
    refused(constant, "the constant has the value NaN");
}

#[test]
fn category_sets_that_do_not_fit() {
    let offset = |at, x: u64| classification().put("set.offsets", at, x.to_le_bytes());
    refused(offset(0, 1), "set.offsets: 1 follows 0");
    refused(offset(1, 2), "a set of 2 words, expected 1");
    refused(offset(1, 0), "a set of 0 words, expected 1");
    refused(offset(1, 4), "set.offsets: 3 follows 4");
    refused(offset(3, u64::MAX), "set.offsets ends at 18446744073709551615");
    let word = |at, x: u64| classification().put("set.words", at, x.to_le_bytes());
    refused(word(0, 0b1000), "levels past the 3 there are");
    refused(word(2, 1 << 6), "levels past the 70 there are");
    let lost = classification().put("node.flags", 5, [1]);
    refused(lost, "1 more category sets than rules");
    let leaf = classification().put("node.flags", 2, [2]);
    refused(leaf, "node 2 asks for column 4294967295 of 4");
}

#[test]
fn trees_that_do_not_fit_the_nodes() {
    let offset = |at, x: u64| regression().put("tree.offsets", at, x.to_le_bytes());
    refused(offset(0, 1), "tree.offsets: 1 follows 0");
    refused(offset(1, 6), "tree.offsets ends at 6, expected 7");
    refused(offset(1, 1 << 60), "tree.offsets ends at 1152921504606846976");
    let shape =
        |n: &str| regression().replace(r#"U64","shape":[2]"#, &format!(r#"U64","shape":{n}"#));
    for n in ["[1152921504606846977]", "[18446744073709551615]", "[4294967296,4294967296]"] {
        refused(shape(n), "the array tree.offsets has the shape");
    }
    refused(shape("[1,2]"), "expected one dimension");
    refused(shape("[]"), "but 16 bytes");
    refused(shape("[-2]"), "invalid value");
    refused(shape("[2.0]"), "invalid type");
    refused(shape("[1,1,1,1,1,1,1,1,2]"), "at most 8");
}

#[test]
fn arrays_that_do_not_lie_one_after_another() {
    let at = r#""data_offsets":[0,16]"#;
    let moved = |to: &str| regression().replace(at, &format!("\"data_offsets\":{to}"));
    refused(moved("[8,24]"), "expected 0..");
    refused(moved("[16,0]"), "expected 0..");
    refused(moved("[0,24]"), "expected 24..");
    refused(moved("[0,8]"), "expected 8..");
    for to in ["[0,1000000]", "[0,18446744073709551615]"] {
        let error = from_bytes_unverified(&moved(to).bytes()).unwrap_err();
        assert!(matches!(error, Error::ModelFile(ModelFileError::Truncated(_))), "{error}");
    }
    let file = regression();
    refused(file.replace(r#""node.cost""#, r#""node.weight""#), "is there twice");
    refused(regression().replace(r#""node.cost""#, r#""node.price""#), "node.cost is not there");
    refused(
        regression().replace(r#""node.cost":{"dtype":"F64""#, r#""node.cost":{"dtype":"I64""#),
        "expected F64",
    );
    let extra = r#","more":{"dtype":"U8","shape":[0],"data_offsets":[END,END]}}"#;
    let end = regression().data.len().to_string();
    let mut file = regression();
    let last = file.header.rfind('}').unwrap();
    file.header.replace_range(last..=last, &extra.replace("END", &end));
    refused(file, "strange array \"more\"");
}

#[test]
fn documents_that_say_things_twice_or_too_deeply() {
    let edit = |old: &str, new: &str| regression().replace(old, new);
    refused(edit(r#"\"seed\":42"#, r#"\"seed\":42,\"seed\":43"#), "duplicate field");
    let setting = r#"\"max_depth\":\"2\""#;
    refused(edit(setting, &format!("{setting},{setting}")), "there twice");
    refused(edit(r#"\"seed\""#, r#"\"sneed\""#), "unknown field");
    refused(edit(r#"\"seed\":42,"#, ""), "missing field");
    refused(edit(r#"\"seed\":42"#, r#"\"seed\":-1"#), "invalid value");
    refused(edit(r#"\"seed\":42"#, r#"\"seed\":18446744073709551616"#), "invalid type");
    refused(edit(r#"\"kind\":\"tree\""#, r#"\"kind\":\"wood\""#), "unknown variant");
    refused(
        edit(r#"\"kind\":\"tree\""#, r#"\"kind\":\"constant\""#),
        "constant.value is not there",
    );
    refused(edit(r#"\"format\":1"#, r#"\"format\":0"#), "format version 0");
    let deep = "[".repeat(1_000_000);
    refused(edit(r#"\"seed\":42"#, &format!(r#"\"seed\":{deep}"#)), "the document in the header");
    refused(edit(r#"\"seed\":42"#, &format!(r#"\"deep\":{deep}"#)), "the document in the header");
    refused(edit(r#""data_offsets":[0"#, &format!(r#""data_offsets":{deep}0"#)), "the header");
}

#[test]
fn names_that_are_ambiguous() {
    refused(
        classification()
            .rename("\"red\",\"green\"", "\"green\",\"red\"")
            .rename("\"blue\"", "\"red\" "),
        "twice among the levels of",
    );
    refused(
        regression().rename("\"name\":\"z\"", "\"name\":\"x\""),
        "\"x\" is twice among the columns",
    );
    let classes = File::open("v1_constant").rename("\"no\",\"yes\"", "\"no\",\"no\" ");
    refused(classes, "\"no\" is twice among the classes");
    let none = File::open("v1_constant").rename("[\"no\",\"yes\"]", "[          ]");
    refused(none, "it has no classes");
    let several = || File::open("v1_several");
    refused(several().rename("\"height\"", "\"x\",\"x\" "), "\"x\" is twice among the targets");
    refused(several().rename("\"height\",", "         "), "expected [3, 1]");
    let classes = || File::open("v1_several_classes");
    refused(
        classes().rename("[\"no\",\"yes\"]", "[\"no\",\"no\" ]"),
        "\"no\" is twice among the classes",
    );
    refused(classes().rename("[\"no\",\"yes\"]", "[          ]"), "has no classes");
    refused(classes().rename("[\"no\",\"yes\"]", "[\"no\"      ]"), "expected [3, 4]");
    let boosted = File::open("v1_several_boosted").rename("[\"no\",\"yes\"]", "[\"n\",\"y\",\"\"]");
    refused(boosted, "its link does not make 6 predictions of 4 scores");
    refused(regression().rename("\"fields\"", "\"feelds\""), "unknown field");
}

#[test]
fn a_newer_file_says_so() {
    for version in [2, 10, u64::MAX] {
        let format = format!(r#"\"format\":{version}"#);
        let file = regression().replace(r#"\"format\":1"#, &format);
        let newer = ModelFileError::Newer { found: version, supported: FORMAT_VERSION };
        assert_eq!(from_bytes(&file.sealed()).unwrap_err(), Error::ModelFile(newer));
    }
}

#[test]
fn lengths_that_lie_are_refused_without_allocating() {
    for length in [0, 1, 1 << 24, (1 << 24) + 1, 1 << 40, 1 << 63, u64::MAX] {
        let mut bytes = golden("v1_constant");
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        assert!(from_bytes_unverified(&bytes).is_err(), "{length}");
        assert!(from_bytes_unverified(&bytes[..8]).is_err(), "{length}");
        assert!(from_bytes_unverified(&bytes[..9]).is_err(), "{length}");
    }
}

#[test]
fn files_of_other_programs_are_named() {
    let tensors =
        br#"{"__metadata__":{"format":"pt"},"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#;
    let length = (tensors.len() as u64).to_le_bytes();
    let safetensors = [&length[..], tensors, &[7]].concat();
    for (bytes, words) in [
        (&safetensors[..], "without weald's metadata"),
        (b"tree\nversion=v4\nnum_class=1\n", "LightGBM"),
        (b"{\"learner\":{\"attributes\":{}},\"version\":[3,0,0]}", "XGBoost model (JSON)"),
        (b"{L\0\0\0\0\0\0\0\x07learner{L\0\0\0\0\0\0\0\x0aattributes", "XGBoost model (UBJSON)"),
        (b"\x80\x04\x95\xc7\x01\0\0\0\0\0\0\x8c\x08sklearn", "pickle"),
        (b"PK\x03\x04\x14\0\0\0\x08\0aaaaaaaa", "ZIP"),
        (b"<!DOCTYPE html><html><body>404", "HTML"),
        (b"x,y\n1,2\n3,4\n", "text file"),
        (&[0; 100], "unknown kind"),
        (&[0xff; 100], "unknown kind"),
    ] {
        match from_bytes(bytes).unwrap_err() {
            Error::ModelFile(ModelFileError::Foreign(what)) if what.contains(words) => {}
            other => panic!("{other}; expected {words}"),
        }
    }
}

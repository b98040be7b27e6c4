//! `weald train`: what is printed where, what is saved, and that the same seed gives the same.

use serde_json::Value;

use crate::program::{Folder, example, without_numbers};

#[test]
fn the_main_job() {
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    let done = folder.run(&["train", "oj.csv", "--target", "Purchase"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(folder.path("Purchase.weald").is_file());
    insta::assert_snapshot!("oj_stdout", without_numbers(&done.stdout));
    insta::assert_snapshot!("oj_stderr", without_numbers(&done.stderr));
}

#[test]
fn a_method_that_is_no_tree_stands_beside_one() {
    let folder = Folder::new();
    let oj = example("oj.csv");
    let oj = oj.to_str().unwrap();
    let done = folder.run(&["train", oj, "-t", "Purchase", "-m", "constant", "--cv", "3"]);
    assert!(done.stdout.contains("single tree"), "{}", done.stdout);
    assert!(done.stdout.contains("over 3 folds"), "{}", done.stdout);
    assert!(done.stdout.contains(" ± "), "{}", done.stdout);
    assert!(done.stderr.contains("has seen all 1,070 rows"), "{}", done.stderr);
}

#[test]
fn json_is_one_document_and_the_model_is_saved() {
    let folder = Folder::new();
    let file = example("diabetes.csv");
    let file = file.to_str().unwrap();
    let done = folder.run(&["train", file, "-t", "target", "--json", "-s", "max_depth=3"]);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(json["method"], "gradient-boosting");
    assert_eq!(json["curve"]["rows"], "8 of 10 folds");
    assert!(json["curve"]["best_round"].as_u64().is_some_and(|n| (1..500).contains(&n)));
    assert_eq!(json["task"], "regression");
    assert_eq!(json["metrics"][0]["metric"], "rmse");
    assert!(json["metrics"][0]["model"].is_number());
    assert_eq!(json["parameters"]["max_depth"], "3");
    assert_eq!(json["n_train_rows"], 354);
    assert!(folder.path("target.weald").is_file());
}

#[test]
fn without_a_test_part_there_are_no_metrics() {
    let folder = Folder::new();
    let oj = example("oj.csv");
    let done = folder.run(&["train", oj.to_str().unwrap(), "-t", "Purchase", "--test", "0"]);
    assert_eq!((done.code, done.stdout.as_str()), (0, ""));
    assert!(done.stderr.contains("has seen all 1,070 rows"), "{}", done.stderr);
}

#[test]
fn a_model_is_saved_even_if_nobody_reads_the_metrics() {
    let folder = Folder::new();
    let oj = example("oj.csv");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = folder.command(&["train", oj.to_str().unwrap(), "-t", "Purchase"]);
    assert!(command.stdout(writer).output().unwrap().status.success());
    assert_eq!(folder.run(&["inspect", "Purchase.weald"]).code, 0);
}

#[test]
fn a_model_on_standard_output_is_the_model() {
    let folder = Folder::new();
    let oj = example("oj.csv");
    let arguments = ["train", oj.to_str().unwrap(), "-t", "Purchase", "-o"];
    let to_file = folder.run(&[&arguments[..], &["m.weald"]].concat());
    assert_eq!(to_file.code, 0);
    let piped = folder.command(&[&arguments[..], &["-"]].concat()).output().unwrap();
    assert_eq!(piped.stdout, std::fs::read(folder.path("m.weald")).unwrap());
    assert!(String::from_utf8_lossy(&piped.stderr).contains("accuracy"));
    let both = folder.run(&[&arguments[..], &["-", "--json"]].concat());
    assert_eq!(both.code, 2);
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_threads() {
    let folder = Folder::new();
    let file = example("carseats.csv");
    let file = file.to_str().unwrap();
    for threads in ["1", "2", "4"] {
        let name = format!("{threads}.weald");
        let arguments = ["train", file, "-t", "Sales", "--threads", threads, "-o", &name];
        assert_eq!(folder.run(&arguments).code, 0);
    }
    let mut scalar = folder.command(&["train", file, "-t", "Sales", "-o", "scalar.weald"]);
    assert!(scalar.env("WEALD_SIMD", "scalar").output().unwrap().status.success());
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    for name in ["2.weald", "4.weald", "scalar.weald"] {
        assert!(bytes("1.weald") == bytes(name), "{name} differs");
    }
}

#[test]
fn linear_leaves_from_a_file_to_predictions() {
    let folder = Folder::new();
    let file = example("diabetes.csv");
    let file = file.to_str().unwrap();
    let train = ["train", file, "-t", "target", "-s", "linear_leaves=true", "-s", "linear_l2=2"];
    for (threads, name) in [("1", "1.weald"), ("3", "3.weald")] {
        let done = folder.run(&[&train[..], &["--threads", threads, "-o", name]].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert!(done.stderr.contains(" linear\n"), "{}", done.stderr);
    }
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(bytes("1.weald") == bytes("3.weald"));
    let shown = folder.run(&["inspect", "1.weald"]).stdout;
    assert!(shown.contains("linear_leaves=true") && shown.contains(" linear\n"), "{shown}");
    let json = folder.run(&["inspect", "1.weald", "--json"]).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["n_linear_leaves"].as_u64().is_some_and(|n| n > 50), "{json}");
    let done = folder.run(&["evaluate", "1.weald", file, "--json"]);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    let rmse = json["metrics"][0]["model"].as_f64();
    assert!(rmse.is_some_and(|rmse| rmse < 60.0), "{json}");
    let done = folder.run(&["predict", "1.weald", file]);
    assert_eq!((done.code, done.stdout.lines().count()), (0, 443), "{}", done.stderr);

    let refused = |more: &[&str]| folder.run(&[&train[..], more].concat());
    let done = refused(&["-s", "loss=absolute"]);
    assert!(done.code == 2 && done.stderr.contains("linear_leaves"), "{}", done.stderr);
    let done = refused(&["-s", "monotone=bmi:+"]);
    assert!(done.code == 2 && done.stderr.contains("monotone constraints"), "{}", done.stderr);
}

#[test]
fn numeric_classes_keep_their_names() {
    let folder = Folder::new();
    let wine = example("wine.csv");
    let done = folder.run(&["train", wine.to_str().unwrap(), "-t", "target", "--json"]);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(json["classes"], serde_json::json!(["0", "1", "2"]));
    assert!(json["task_reason"].as_str().is_some_and(|r| r.contains("3 different values")));
}

#[test]
fn rows_without_a_target_are_left_out_when_asked() {
    let folder = Folder::new();
    let file = folder.write("a.csv", "x,y\n1,0\n2,\n3,1\n4,0\n5,1\n6,NA\n");
    let file = file.to_str().unwrap();
    assert_eq!(folder.run(&["train", file, "-t", "y"]).code, 3);
    let done = folder.run(&["train", file, "-t", "y", "--drop-missing-target"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("left out 2 rows"), "{}", done.stderr);
}

#[test]
fn identifiers_and_copies_of_the_target_are_suspected() {
    let folder = Folder::new();
    let mut text = String::from("id,name,x,copy,y\n");
    for i in 0..200 {
        let y = (i * 7919) % 13 % 2;
        text += &format!("{},user{i},{},{},{}\n", i + 1, (i * 31) % 17, y * 10, ["no", "yes"][y]);
    }
    let file = folder.write("a.csv", text);
    let file = file.to_str().unwrap();
    let done = folder.run(&["train", file, "-t", "y"]);
    assert!(done.stderr.contains("\"id\" looks like an identifier"), "{}", done.stderr);
    assert!(done.stderr.contains("\"name\" looks like an identifier"), "{}", done.stderr);
    assert!(done.stderr.contains("\"copy\" alone predicts"), "{}", done.stderr);
    assert!(!done.stderr.contains("\"x\" alone"), "{}", done.stderr);
    let drop = ["train", file, "-t", "y", "--drop", "id", "--drop", "name", "--drop", "copy"];
    let done = folder.run(&drop);
    assert!(!done.stderr.contains("warning"), "{}", done.stderr);
}

#[test]
fn whoever_asks_members_about_held_out_rows_keeps_groups_together() {
    // Rows of a group are near each other and have one class, which says nothing of other groups.
    let folder = Folder::new();
    let classes = "abbabaababbabaabbaababbabbaabaabababbaab".as_bytes();
    let rows = (0..160).map(|i| {
        let (group, class) = (i / 4, char::from(classes[i / 4]));
        format!("{}.{},{class},g{group}\n", (group * 17) % 40, i % 4)
    });
    folder.write("g.csv", format!("x,y,g\n{}", rows.collect::<String>()));
    let weights = |role: &str| -> Vec<f64> {
        let train = ["train", "g.csv", "-t", "y", "--method", "super-learner", "--test", "0"];
        let members = ["-s", "members=nearest-neighbours,constant", "-s", "nearest-neighbours.k=1"];
        let done = folder.run(&[&train[..], &members, &[role, "g", "-o", "m.weald"]].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let inspected = folder.run(&["inspect", "m.weald", "--json"]).stdout;
        let inspected: Value = serde_json::from_str(&inspected).unwrap();
        inspected["weights"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect()
    };
    let leaky = weights("--drop");
    assert!(leaky[0] > 0.9, "rows of a group tell its class: {leaky:?}");
    let honest = weights("--group");
    assert!(honest[0] < 0.2, "other groups do not: {honest:?}");
}

#[test]
fn the_order_of_settings_does_not_matter() {
    let folder = Folder::new();
    let oj = example("oj.csv");
    let train = ["train", oj.to_str().unwrap(), "-t", "Purchase", "--method", "extra-trees"];
    let settings = ["resampling=bootstrap", "patience=5", "n_trees=20"];
    let bytes = |order: [usize; 3]| {
        let settings: Vec<&str> = order.iter().flat_map(|&at| ["--set", settings[at]]).collect();
        let done = folder.run(&[&train[..], &settings, &["-o", "m.weald"]].concat());
        assert_eq!(done.code, 0, "{order:?}: {}", done.stderr);
        std::fs::read(folder.path("m.weald")).unwrap()
    };
    let expected = bytes([0, 1, 2]);
    assert!([[1, 0, 2], [2, 1, 0], [1, 2, 0]].into_iter().all(|order| bytes(order) == expected));
    let alone = folder.run(&[&train[..], &["--set", "patience=5"]].concat());
    assert_eq!(alone.code, 2, "no rows are out of a bag: {}", alone.stderr);
    assert!(alone.stderr.contains("`patience` is"), "{}", alone.stderr);
}

#[test]
fn groups_and_time_order_and_weights() {
    let folder = Folder::new();
    let oj = example("oj.csv");
    let oj = oj.to_str().unwrap();
    for more in [
        &["--group", "StoreID"][..],
        &["--time-ordered"],
        &["--cv", "3", "--time-ordered"],
        &["--cv", "3", "--group", "WeekofPurchase"],
        &["--weight", "PriceCH"],
        &["--test", "0.5"],
    ] {
        let done = folder.run(&[&["train", oj, "-t", "Purchase"][..], more].concat());
        assert_eq!(done.code, 0, "{more:?}: {}", done.stderr);
    }
}

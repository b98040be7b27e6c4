//! Ctrl-C during a long fit: what there is is kept.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::Folder;

/// A table whose unpruned tree takes long: many rows, and a target that is noise.
fn noise(folder: &Folder) {
    let mut state = 1u64;
    let mut draw = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 44
    };
    let mut text = String::from("a,b,c,d,e,f,g,h,i,j,k,l,y\n");
    for _ in 0..300_000 {
        for _ in 0..12 {
            text += &draw().to_string();
            text.push(',');
        }
        text += if draw() % 2 == 0 { "no\n" } else { "yes\n" };
    }
    folder.write("noise.csv", text);
}

/// What became of a program that was interrupted.
#[cfg(unix)]
struct Interrupted {
    code: Option<i32>,
    stdout: String,
    /// What stood on standard error after the signal.
    rest: String,
    took: Duration,
}

/// Runs the program, sends SIGINT `delay` after it told that it begins, and waits for its end.
#[cfg(unix)]
fn interrupted(folder: &Folder, arguments: &[&str], delay: Duration) -> Interrupted {
    let mut child = folder
        .command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("fitting") && !line.starts_with("comparing") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "the program ended early");
    }
    std::thread::sleep(delay);
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap();
    assert!(sent.success());
    let start = Instant::now();
    let code = child.wait().unwrap().code();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    let (mut rest, mut stdout) = (String::new(), String::new());
    stderr.read_to_string(&mut rest).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    Interrupted { code, stdout, rest, took }
}

/// How far a fit is after a while depends on the machine: too early there is nothing to keep yet,
/// too late it is done. One of these moments is in between.
const MOMENTS: [u64; 10] = [200, 300, 150, 400, 100, 600, 50, 900, 25, 1500];

#[cfg(unix)]
#[test]
fn the_first_ctrl_c_keeps_a_partial_model() {
    let folder = Folder::new();
    noise(&folder);
    let tree = ["train", "noise.csv", "-t", "y", "-m", "decision-tree"];
    let arguments = [&tree[..], &["--threads", "1", "-o", "m.weald"]].concat();
    for milliseconds in MOMENTS {
        let Interrupted { code, rest, .. } =
            interrupted(&folder, &arguments, Duration::from_millis(milliseconds));
        let has_model = folder.path("m.weald").is_file();
        match code {
            Some(130) if rest.contains("there was a model to keep") => {
                assert!(!has_model, "{rest}")
            }
            Some(130) if rest.contains("nothing was written") => {}
            Some(130) if rest.contains("is whole") => assert!(has_model, "{rest}"),
            Some(130) => {
                assert!(rest.contains("press Ctrl-C again"), "{rest}");
                assert!(rest.contains("the model in m.weald is partial"), "{rest}");
                assert_eq!(folder.run(&["inspect", "m.weald"]).code, 0);
                return;
            }
            Some(0) => assert!(has_model, "{rest}"),
            other => panic!("{other:?}: {rest}"),
        }
        let _ = std::fs::remove_file(folder.path("m.weald"));
    }
    panic!("no moment of the fit could be interrupted");
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_tells_what_it_has() {
    let folder = Folder::new();
    noise(&folder);
    // The stump is done soon, the forest never.
    let arguments = ["compare", "noise.csv", "-t", "y", "--methods", "stump,random-forest"];
    let arguments =
        [&arguments[..], &["--threads", "1", "--set", "random-forest.n_trees=100000"]].concat();
    for milliseconds in [2000, 4000, 1000, 8000, 500, 16_000] {
        let Interrupted { code, stdout, rest, .. } =
            interrupted(&folder, &arguments, Duration::from_millis(milliseconds));
        assert_eq!(code, Some(130), "{rest}");
        assert!(rest.contains("press Ctrl-C again"), "{rest}");
        if rest.contains("stopped before any method was measured") {
            assert_eq!(stdout, "");
            continue;
        }
        let told = "1 of 3 methods were measured, on the first fold alone";
        assert!(rest.contains(told) && rest.contains("run the same command again"), "{rest}");
        assert!(stdout.contains("stump") && !stdout.contains("random-forest"), "{stdout}");
        return;
    }
    panic!("the stump was never measured");
}

#[cfg(unix)]
#[test]
fn interrupted_stacking_ends_soon_and_leaves_no_half_model() {
    let folder = Folder::new();
    noise(&folder);
    let arguments = ["train", "noise.csv", "-t", "y", "-m", "stacking", "-o", "m.weald"];
    let members = ["--set", "members=logistic-regression,random-forest", "--threads", "1"];
    let long = ["--set", "random-forest.n_trees=100000"];
    let arguments = [&arguments[..], &members, &long].concat();
    for milliseconds in [100, 1000, 4000] {
        let Interrupted { code, rest, took, .. } =
            interrupted(&folder, &arguments, Duration::from_millis(milliseconds));
        assert_eq!(code, Some(130), "{rest}");
        assert!(rest.contains("press Ctrl-C again"), "{rest}");
        assert!(rest.contains("there was a model to keep"), "{took:?}: {rest}");
        assert!(!folder.path("m.weald").exists(), "{rest}");
    }
}

/// Runs the program, sends SIGINT `delay` later, and tells how it ended and how long that took.
#[cfg(unix)]
fn signalled(
    mut command: std::process::Command,
    delay: Duration,
) -> (Option<i32>, Duration, String) {
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(delay);
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap();
    assert!(sent.success());
    let start = Instant::now();
    let code = child.wait().unwrap().code();
    let took = start.elapsed();
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    (code, took, text)
}

/// What Ctrl-C may take on a machine that does other things too; a fifth of a second where it does not.
#[cfg(unix)]
const SOON: Duration = Duration::from_millis(1500);

#[cfg(unix)]
#[test]
fn ctrl_c_ends_reading_scoring_and_writing_at_once() {
    use std::os::fd::OwnedFd;
    let folder = Folder::new();
    folder.copy_example("oj.csv");
    folder.trained("oj.csv", "Purchase");
    // Standard input that never ends: all read, and none of it comes to an end by itself.
    let endless = |arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        let table = std::fs::read(folder.path("oj.csv")).unwrap();
        std::thread::spawn(move || {
            let mut writer = std::fs::File::from(OwnedFd::from(writer));
            let rows = table.iter().position(|&byte| byte == b'\n').unwrap() + 1;
            let mut written = std::io::Write::write_all(&mut writer, &table);
            while written.is_ok() {
                written = std::io::Write::write_all(&mut writer, &table[rows..]);
            }
        });
        let mut command = folder.command(arguments);
        command.stdin(reader).stdout(Stdio::null());
        command
    };
    // Writing to somebody who does not read.
    let stuck = |arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        let mut command = folder.command(arguments);
        command.stdin(Stdio::null()).stdout(writer);
        (command, reader)
    };
    let reading: [&[&str]; 9] = [
        &["train", "-", "-t", "Purchase", "-o", "n.weald"],
        &["predict", "m.weald", "-o", "p.csv"],
        &["evaluate", "m.weald", "-"],
        &["query", "m.weald", "-o", "q.csv"],
        &["detect", "--stream", "-o", "d.csv"],
        &["detect", "-o", "d.csv", "--save", "s.weald"],
        &["density", "-o", "d.csv"],
        &["bootstrap", "-", "--statistic", "mean", "--column", "PriceCH"],
        &["online", "-t", "Purchase", "-o", "d.csv"],
    ];
    for arguments in reading {
        let (code, took, text) = signalled(endless(arguments), Duration::from_millis(700));
        assert_eq!(code, Some(130), "{arguments:?}: {text}");
        assert!(took < SOON, "{arguments:?}: {took:?}");
        assert!(text.contains("interrupted"), "{arguments:?}: {text}");
    }
    let writing: [&[&str]; 3] = [
        &["density", "oj.csv", "--draw", "100000000000", "--set", "n_trees=5"],
        &["predict", "m.weald", "big.csv", "--probabilities"],
        &["detect", "big.csv", "--set", "n_trees=5"],
    ];
    let oj = folder.read("oj.csv");
    let (header, rows) = oj.split_once('\n').unwrap();
    folder.write("big.csv", format!("{header}\n{}", rows.repeat(50)));
    for arguments in writing {
        let (command, reader) = stuck(arguments);
        let (code, took, text) = signalled(command, Duration::from_millis(2500));
        assert_eq!(code, Some(130), "{arguments:?}: {text}");
        assert!(took < SOON, "{arguments:?}: {took:?}");
        drop(reader);
    }
    let left = std::fs::read_dir(folder.path("")).unwrap();
    let mut left: Vec<_> = left.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left, ["big.csv", "m.weald", "oj.csv"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_anomalies_are_scored_ends_at_once() {
    let folder = Folder::new();
    noise(&folder);
    let arguments = ["detect", "noise.csv", "-o", "d.csv", "--set", "n_trees=500"];
    // Before, while and after the forest is grown: scoring takes by far the longest.
    for milliseconds in [500, 2000, 6000] {
        let mut command = folder.command(&arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let (code, took, text) = signalled(command, Duration::from_millis(milliseconds));
        if code == Some(0) {
            continue;
        }
        assert_eq!(code, Some(130), "{text}");
        assert!(took < SOON, "{took:?}: {text}");
        assert!(!folder.path("d.csv").exists());
    }
}

//! Saved model files: those of version 1 must load for ever, and no broken one may do harm.
//!
//! The files `v1_*.weald` beside this module were written once and are never to change. A test
//! that fails on one of them has found that old files no longer load: the code is wrong, not the
//! file. A file is written anew only when it is not there, so changing one takes deleting it by
//! hand, which is right only before the first release.

#![allow(clippy::unwrap_used)]

mod base;
mod combined;
mod damage;
mod forests;
mod hostile;
mod models;
mod mutation;
mod unlabelled;

use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use weald::any::{AnyModel, Trained};
use weald::model::Model;
use weald::persist::{from_bytes, to_bytes, to_bytes_as, to_proven_bytes};
use weald::tree::Tree;

use models::{probe, shown};

/// The version of weald that wrote the golden files.
const WEALD: &str = "0.1.0";

/// A file that is never to change.
struct Golden {
    name: &'static str,
    /// The model it holds.
    model: fn() -> Trained,
    /// SHA-256 of the model's scores of [`models::probe`]: of plain trees with the leaves found by
    /// hand, of others as they were first computed.
    scores: &'static str,
}

const GOLDEN: [Golden; 26] = [
    Golden {
        name: "v1_constant",
        model: models::constant,
        scores: "8e8645fe51f1dd252e35f018806f742b79f6b979d36ec5ba3547612a0ccc9041",
    },
    Golden {
        name: "v1_regression",
        model: models::regression,
        scores: "401b179a41341b94333038b4ec4a30c8fe6f8f1a9342b18e4482b7cc2580fc2f",
    },
    Golden {
        name: "v1_classification",
        model: models::classification,
        scores: "069a3894e5791ffaa8719cc4592ae450babe4377288c9bbf9610600218383241",
    },
    Golden {
        name: "v1_additive",
        model: models::additive,
        scores: "11bb0195b7946d18ea83ce0663c84a70b221abc93519e508599d4df07355ec32",
    },
    Golden {
        name: "v1_counts",
        model: models::counts,
        scores: "d4b2a9379439c33cb6998ed4d1341ffda4f04d5dc795276a77a0731d8be6eaee",
    },
    Golden {
        name: "v1_linear",
        model: models::linear,
        scores: "fdd32650aae110a9101b358e79cad61b3f3a8d9f84190d1ad8ea1f20ee4e407c",
    },
    Golden {
        name: "v1_committee",
        model: models::committee,
        scores: "1a25b6a2150c2fa8f9cd8f3711f27eeeacd49ed086815377530eefa332c97cf0",
    },
    Golden {
        name: "v1_several",
        model: models::several,
        scores: "0742a4a7d0d32bc4c1281ab840778c33cac35a823e677dc550c61c640e45bae3",
    },
    Golden {
        name: "v1_several_classes",
        model: models::several_classes,
        scores: "615a7b426b42ad9f3e50a9a7b938abad3ee406d720735dc040e6fbd50fabd583",
    },
    Golden {
        name: "v1_several_boosted",
        model: models::several_boosted,
        scores: "d0918e70f0ae21e712a1ed710424b6dbada8d1c8871f73fdcd417edcf8c83b20",
    },
    Golden {
        name: "v1_forest",
        model: forests::of_numbers,
        scores: "5dcc3068e64df7d234bd25b850e4c090eec7b728e34353d068dc195af0691e52",
    },
    Golden {
        name: "v1_class_forest",
        model: forests::of_classes,
        scores: "10c44d7c012dd5b98030368c7369d1df04ee6b23da7350e50addaed1efe30926",
    },
    Golden {
        name: "v1_coefficients",
        model: base::linear,
        scores: "ef9c8eab159a5876e4986d26a44c5dfda978d827daabce395afece12f851e784",
    },
    Golden {
        name: "v1_naive_bayes",
        model: base::naive_bayes,
        scores: "8cf880aaa4a3798ecf3c9516e55778bfa6814f423292950ed153eb378f280119",
    },
    Golden {
        name: "v1_neighbours",
        model: base::neighbours,
        scores: "4bceb969a21579c6bc5a0fcbb54aa78d88778821db0846e1b49a71df6ed1f0f0",
    },
    Golden {
        name: "v1_stacked",
        model: combined::stacked,
        scores: "0da4fb659fc0713c827423111f14dc1e66f24b41230f74e762baeaa2eecff9a1",
    },
    Golden {
        name: "v1_dynamic",
        model: combined::dynamic,
        scores: "13797e4a253fce28b4d1745cc215692fe2b41b60f4c454687dc9bd8d9417bae7",
    },
    Golden {
        name: "v1_mixture",
        model: combined::mixture,
        scores: "afd73103156e9a8064fd21947833b87028c88bc6441ff15163a8a0fd1c5d08e4",
    },
    Golden {
        name: "v1_coded",
        model: combined::coded,
        scores: "e8c82365d80ef38e7205a4fac87e589c1940f924050764822438600c146b9760",
    },
    Golden {
        name: "v1_temperature",
        model: combined::temperature,
        scores: "9a117e8d18937930ce4f1e6afe4a9447ccb60f7dd1ac4b9dace1ff233a20a932",
    },
    Golden {
        name: "v1_sigmoid",
        model: combined::sigmoid,
        scores: "6a2c2f2a64cb660505cd52c6ef0b543b02f3f85e4909d50475b100673eb923a6",
    },
    Golden {
        name: "v1_isotonic",
        model: combined::isotonic,
        scores: "5aa2d763327541a32b263cd197c3bca64c83ff7a6ca1c7a56ac14d3275c232d6",
    },
    Golden {
        name: "v1_boosted",
        model: combined::boosted,
        scores: "f130dfe73af923a4fb3663a0be706288f9ebf8583f139bedcd4433da424766eb",
    },
    Golden {
        name: "v1_isolation",
        model: unlabelled::isolation,
        scores: "7533a077416cea1267a31afd6e869f7a4d96759d22a07777a357354243f6b144",
    },
    Golden {
        name: "v1_oblique",
        model: unlabelled::oblique,
        scores: "248c89c6e6d3c1e8bebcea17136a4aeeac137d47dd31ea72d19f10c2284916d1",
    },
    Golden {
        name: "v1_density",
        model: unlabelled::density,
        scores: "4ed46e8373be65ad8871a00f8ab0b46e1c9447172dc7b8c1702dc0bf4d201833",
    },
];

#[test]
fn golden_files_hold_the_models_they_were_made_of() {
    for Golden { name, model, .. } in GOLDEN {
        let loaded = from_bytes(&golden(name)).unwrap();
        assert_eq!(shown(&loaded), shown(&model()), "{name}");
    }
}

#[test]
fn golden_files_predict_what_they_always_did() {
    let found: Vec<(&str, String)> = GOLDEN
        .iter()
        .map(|golden| {
            let loaded = from_bytes(&self::golden(golden.name)).unwrap();
            (golden.name, sha256(loaded.model.scores(&probe()).unwrap().values()))
        })
        .collect();
    let expected = GOLDEN.iter().map(|golden| (golden.name, golden.scores.to_string()));
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn the_probe_reaches_every_leaf() {
    for Golden { model, .. } in GOLDEN {
        every_leaf_is_reached(&model().model);
    }
}

fn every_leaf_is_reached(model: &AnyModel) {
    let trees: Vec<&Tree> = match model {
        AnyModel::Constant(_)
        | AnyModel::Linear(_)
        | AnyModel::NaiveBayes(_)
        | AnyModel::Neighbours(_) => vec![],
        AnyModel::Tree(model) => vec![&model.tree],
        AnyModel::Additive(model) => model.trees.iter().collect(),
        AnyModel::Forest(model) => {
            let reached = model.leaves(&probe()).unwrap();
            for tree in 0..model.trees.len() {
                let mut own: Vec<u32> = reached.rows().map(|row| row[tree]).collect();
                own.sort_unstable();
                own.dedup();
                assert_eq!(own.len(), model.trees.leaves_of(tree).len());
            }
            vec![]
        }
        AnyModel::Committee(model) => {
            model.members.iter().for_each(|member| every_leaf_is_reached(&member.model));
            vec![]
        }
        AnyModel::Boosted(model) => {
            model.members.iter().for_each(every_leaf_is_reached);
            vec![]
        }
        AnyModel::Stacked(model) => {
            model.members.iter().for_each(|member| every_leaf_is_reached(&member.learner));
            vec![]
        }
        AnyModel::Dynamic(model) => {
            model.members.iter().for_each(|member| every_leaf_is_reached(&member.learner));
            vec![]
        }
        AnyModel::Mixture(model) => {
            model.experts.iter().for_each(every_leaf_is_reached);
            vec![]
        }
        AnyModel::Coded(model) => {
            model.members.iter().for_each(every_leaf_is_reached);
            vec![]
        }
        AnyModel::Calibrated(model) => {
            every_leaf_is_reached(&model.base);
            vec![]
        }
        // Leaves that are asked for no other way than by what they say.
        AnyModel::Isolation(_) | AnyModel::Density(_) => vec![],
    };
    let table = probe();
    let aligned = model.schema().align(&table).unwrap();
    for tree in trees {
        let mut reached = tree.leaves(aligned.table());
        reached.sort_unstable();
        reached.dedup();
        assert_eq!(reached.len(), tree.n_leaves());
    }
}

#[test]
fn saving_a_loaded_file_gives_the_same_bytes() {
    for Golden { name, .. } in GOLDEN {
        let bytes = golden(name);
        assert!(to_bytes_as(&from_bytes(&bytes).unwrap(), WEALD) == bytes, "{name}");
    }
}

#[test]
fn other_programs_can_read_the_arrays() {
    let bytes = golden("v1_classification");
    let (_, header) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    let metadata = header.metadata().as_ref().unwrap();
    let document: serde_json::Value = serde_json::from_str(&metadata["weald"]).unwrap();
    assert_eq!(document["format"], 1);
    assert_eq!(document["weald"], WEALD);
    let read = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let values = read.tensor("node.value").unwrap();
    assert_eq!((values.dtype(), values.shape()), (safetensors::Dtype::F64, &[9, 3][..]));
}

/// The bytes of a golden model, which are written first if they are not there.
fn golden(name: &str) -> Vec<u8> {
    let golden = GOLDEN.into_iter().find(|golden| golden.name == name).unwrap();
    kept(name, || to_bytes_as(&(golden.model)(), WEALD))
}

/// The bytes of a golden file, which are made first if they are not there.
fn kept(name: &str, made: impl Fn() -> Vec<u8>) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/golden")
        .join(name)
        .with_extension("weald");
    if !path.exists() {
        // Renamed into place, for tests run at the same time.
        let pending = path.with_extension(format!("{:?}.tmp", std::thread::current().id()));
        fs::write(&pending, made()).unwrap();
        fs::rename(&pending, &path).unwrap();
        panic!("{name} was not there and has been written anew: look at it, then commit it");
    }
    fs::read(path).unwrap()
}

/// The digest of a list of numbers.
fn sha256(numbers: &[f64]) -> String {
    let mut hash = Sha256::new();
    numbers.iter().for_each(|x| hash.update(x.to_le_bytes()));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn what_would_not_load_is_not_to_be_saved() {
    let mut trained = combined::boosted();
    assert_eq!(to_proven_bytes(&trained).unwrap(), to_bytes(&trained));
    let AnyModel::Boosted(model) = &mut trained.model else { panic!() };
    model.rounds[0].coefficient = f64::NAN;
    let told = to_proven_bytes(&trained).unwrap_err().to_string();
    assert!(told.contains("nothing is written") && told.contains("coefficient is NaN"), "{told}");
}

"""Public data sets for races: a folder with `index.json` and the files it names.

The folder is that of the environment variable WEALD_DATA, otherwise `shared/data` beside the
checkout.
"""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import feather

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("WEALD_DATA", ROOT.parent / "shared/data"))


def entries():
    """What the index says of every set, by name."""
    index = FOLDER / "index.json"
    if not index.exists():
        raise SystemExit(f"no {index}: set WEALD_DATA to the folder of the data sets")
    return {entry["name"]: entry for entry in json.loads(index.read_text())}


def read(entry):
    """A set as `framed` gives it."""
    path = FOLDER / entry["file"]
    if path.suffix == ".parquet":
        data = pd.read_parquet(path)
    else:
        words = dict.fromkeys(entry["categorical"], str)
        data = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=words)
    return framed(entry, data)


def framed(entry, data):
    """A table with the target `y` (classes as codes), categories as such, and other numbers in
    single precision where nothing is lost. Features are `x0` and so on: LightGBM refuses some
    names."""
    target = data[entry["target"]]
    data = data.drop(columns=entry["target"])
    columns = {}
    for i, name in enumerate(data.columns):
        if name in entry["categorical"]:
            columns[f"x{i}"] = data[name].astype("string").astype("category")
        else:
            columns[f"x{i}"] = narrowed(data[name].to_numpy("float64", na_value=np.nan))
    if entry["task"] == "regression":
        columns["y"] = target.to_numpy("float64")
    else:
        columns["y"] = np.unique(target.astype(str), return_inverse=True)[1].astype("int64")
    return pd.DataFrame(columns)


def narrowed(values):
    single = values.astype("float32")
    return single if np.array_equal(single, values, equal_nan=True) else values


def parts(entry, data):
    """The official training and test rows, or four fifths and one fifth at random."""
    if entry.get("split"):
        return [data.iloc[slice(*entry["split"][part])] for part in ("train", "test")]
    order = np.random.default_rng(0).permutation(len(data))
    cut = len(data) * 4 // 5
    return [data.iloc[order[:cut]], data.iloc[order[cut:]]]


def write(data, file):
    """As an Arrow file, which keeps the categories' codes and reads fast."""
    table = pa.Table.from_pandas(data, preserve_index=False)
    feather.write_feather(table, str(file), compression="uncompressed")

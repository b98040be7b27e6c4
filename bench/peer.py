"""A side of a race: reads the rows, fits, predicts, and prints what it took as JSON.

    python bench/peer.py METHOD PEER TRAIN TEST CLASSES THREADS SETTINGS PREDICTIONS

METHOD is `boost`, `forest` and so on: what the modules with its libraries and its settings begin
with.
SETTINGS is a JSON object with the fields of that method's `Settings`; for weald, which is raced
by its package as its peers are, the `words` for weald-bench and the `seed`. The predictions for
TEST are written row by row as little-endian doubles. It measures as weald-bench does: one small
fit first, memory from what is held once the rows are read to the most held while fitting, the
best of three predictions of all rows, the mean of many predictions of one.
"""

import ctypes
import importlib
import json
import sys
import time
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from pyarrow import feather

import libraries
import machine


@dataclass
class Rows:
    """Features as one matrix, categories as codes (NaN: missing), and the target."""

    matrix: np.ndarray
    target: np.ndarray
    categorical: list
    levels: dict

    def slice(self, start, end):
        part = slice(start, end)
        return Rows(self.matrix[part], self.target[part], self.categorical, self.levels)


def read(file):
    table = feather.read_table(file, memory_map=False)
    target = table["y"].to_numpy()
    table = table.drop_columns("y")
    columns, categorical, levels = [], [], {}
    for i, column in enumerate(table.columns):
        column = column.combine_chunks()
        if hasattr(column, "dictionary"):
            categorical.append(i)
            levels[i] = len(column.dictionary)
            column = column.indices.cast("float32")
        columns.append(column.to_numpy(zero_copy_only=False))
    matrix = np.empty((len(target), len(columns)), dtype=np.result_type(*columns))
    for i, column in enumerate(columns):
        matrix[:, i] = column
    return Rows(matrix, target, categorical, levels)


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def one_row(library, rows):
    """The mean time of predicting one row, over many calls with rows from all over the table."""
    count = min(len(rows.target), 1000)
    step = len(rows.target) // count
    forms = [library.single(rows, i * step) for i in range(count)]
    calls, start = 0, time.perf_counter()
    while calls < 50 * count:
        for form in forms[calls % count :][:20]:
            library.one(form)
            calls += 1
        if time.perf_counter() > start + 2:
            break
    return 1e9 * (time.perf_counter() - start) / calls


def sides(method, side):
    """What makes a side of a race from its settings: weald's are words and a seed."""
    of_method = importlib.import_module(f"{method}_libraries")
    if side.startswith("weald"):
        ours = getattr(of_method, "Weald", libraries.Weald)
        return lambda settings, *rest: ours(SimpleNamespace(**settings), *rest)
    kind = of_method.LIBRARIES[side]
    settings_of = importlib.import_module(f"{method}_settings").Settings
    return lambda settings, *rest: kind(settings_of(**settings), *rest)


def main():
    method, peer, train, test, classes, threads, settings, predictions = sys.argv[1:]
    library = sides(method, peer)(json.loads(settings), int(classes), int(threads))
    if hasattr(library, "elsewhere"):
        library.elsewhere(read(train), read(test), predictions)
    rows = read(train)
    form = library.form(rows)
    few = rows.slice(0, 1000)
    library.fit(few, library.form(few))

    ctypes.CDLL(None).malloc_trim(0)
    loaded = machine.resident()
    machine.forget_peak()
    fit, _ = timed(lambda: library.fit(rows, form))
    peak = machine.peak()
    trees, leaves = library.shape()
    report = {"version": library.version(), "trees": trees, "leaves": leaves}
    if not library.predicts_only:
        report |= {"fit": fit, "memory_loaded": loaded, "memory_peak": peak} | library.size()
    if names := library.class_names():
        report["classes"] = names
    del form, rows
    rows = read(test)
    form = library.form(rows)
    times, found = zip(*(timed(lambda: library.predict(form)) for _ in range(3)), strict=True)
    np.asarray(found[0], dtype="<f8").tofile(predictions)
    report |= {"predict_rows": len(rows.target), "predict_seconds": min(times)}
    print(json.dumps(report | {"row_nanoseconds": one_row(library, rows)}))


if __name__ == "__main__":
    main()

"""The peers that are raced with more than one method, one class each, as their users would call
them.

Each takes the rows in its own natural form (`form`, made before the clock starts), fits them with
binning (`fit`), predicts probabilities or numbers for many rows (`predict`) and for one
(`one`, given what `single` made of a row), says how many trees and leaves it has (`shape`) and how
many bytes its model is, in memory or saved (`size`). What a method sets is said by its own classes:
`boost_libraries`, `forest_libraries`. Libraries are imported by the class that needs them: a
process holds one peer only.
"""

import contextlib
import ctypes
import importlib.metadata
import json
import tempfile
from pathlib import Path

import numpy as np


class Library:
    package = ""
    predicts_only = False

    def __init__(self, settings, classes, threads):
        self.settings, self.classes, self.threads = settings, classes, threads

    def version(self):
        return importlib.metadata.version(self.package)

    def form(self, rows):
        return rows.matrix

    def single(self, rows, row):
        return rows.matrix[row : row + 1]

    def one(self, form):
        return self.predict(form)

    def class_names(self):
        """The codes of the classes in the order of `predict`, if that is not all from 0 on."""
        return None

    def size(self):
        """`model_bytes` in memory, `file_bytes` saved, where they can be known."""
        return {}


NAMES = {"adaboost": "AdaBoost"}


class Weald(Library):
    """The package, given the words for weald-bench: the method, then `name=value`."""

    package = "weald"

    def __init__(self, settings, classes, threads):
        super().__init__(settings, classes, threads)
        import weald

        method, *words = settings.words
        name = NAMES.get(method, method.title().replace("-", ""))
        kind = getattr(weald, name + ("Classifier" if classes else "Regressor"))
        ours = {theirs: ours for ours, theirs in kind._renamed.items()}
        ours.setdefault("n_trees", "n_estimators")
        self.estimator = kind(n_jobs=threads, random_state=settings.seed)
        for word in words:
            key, value = word.split("=")
            with contextlib.suppress(ValueError):
                value = json.loads(value)
            self.estimator.set_params(**{ours.get(key, key): value})

    def form(self, rows):
        if not rows.categorical:
            return rows.matrix
        import pandas

        frame = pandas.DataFrame({f"x{i}": column for i, column in enumerate(rows.matrix.T)})
        for i in rows.categorical:
            codes = np.nan_to_num(rows.matrix[:, i], nan=-1).astype(int)
            levels = [str(level) for level in range(rows.levels[i])]
            frame[f"x{i}"] = pandas.Categorical.from_codes(codes, levels)
        return frame

    def fit(self, rows, form):
        self.estimator.fit(form, rows.target)

    def predict(self, form):
        if not self.classes:
            return self.estimator.predict(form)
        found = self.estimator.predict_proba(form)
        return found[:, 1] if self.classes == 2 else found

    def single(self, rows, row):
        return rows.matrix[row].astype("float64")

    def one(self, form):
        return self.estimator.model_.predict_row(form)

    def class_names(self):
        return self.estimator.classes_.tolist() if self.classes > 2 else None

    def shape(self):
        model = self.estimator.model_
        return model.n_trees, self.estimator.get_n_leaves()

    def size(self):
        return {"file_bytes": len(self.estimator.model_.to_bytes())}


class LightGBM(Library):
    """`words`: the settings."""

    package = "lightgbm"

    def fit(self, rows, form):
        import lightgbm

        columns = rows.categorical or "auto"
        data = lightgbm.Dataset(form, rows.target, categorical_feature=columns)
        self.model = lightgbm.train(self.words(rows), data, self.settings.trees)

    def predict(self, form):
        return self.model.predict(form, num_threads=self.threads)

    def shape(self):
        lines = self.model.model_to_string().splitlines()
        leaves = [int(line.split("=")[1]) for line in lines if line.startswith("num_leaves=")]
        return len(leaves), sum(leaves)

    def size(self):
        return {"file_bytes": len(self.model.model_to_string())}

    def single(self, rows, row):
        """The C interface for single rows, without which Python's own work would be measured."""
        from lightgbm.basic import _LIB, _safe_call

        if not hasattr(self, "fast"):
            self.library, self.fast = _LIB, ctypes.c_void_p()
            self.result = np.zeros(max(self.classes, 1), dtype="float64")
            self.length = ctypes.c_int64()
            n_columns = ctypes.c_int(rows.matrix.shape[1])
            normal, first, every, double = (ctypes.c_int(x) for x in (0, 0, -1, 1))
            parameters = ctypes.c_char_p(b"num_threads=1")
            _safe_call(
                _LIB.LGBM_BoosterPredictForMatSingleRowFastInit(
                    self.model._handle,
                    normal,
                    first,
                    every,
                    double,
                    n_columns,
                    parameters,
                    ctypes.byref(self.fast),
                )
            )
        return np.ascontiguousarray(rows.matrix[row], dtype="float64").ctypes

    def one(self, form):
        self.library.LGBM_BoosterPredictForMatSingleRowFast(
            self.fast, form, ctypes.byref(self.length), self.result.ctypes
        )
        return self.result


class XGBoost(Library):
    """`words`: the settings; `rounds`: how many."""

    package = "xgboost"

    def fit(self, rows, form):
        import xgboost

        kinds = ["q"] * form.shape[1]
        for column in rows.categorical:
            kinds[column] = "c"
        data = xgboost.QuantileDMatrix(
            form,
            rows.target,
            feature_types=kinds,
            enable_categorical=True,
            max_bin=self.settings.bins,
            nthread=self.threads,
        )
        self.model = xgboost.train(self.words(rows), data, self.rounds())
        self.kinds = kinds if rows.categorical else None

    def predict(self, form):
        if self.kinds is None:
            return self.model.inplace_predict(form)
        import xgboost

        data = xgboost.DMatrix(
            form, feature_types=self.kinds, enable_categorical=True, nthread=self.threads
        )
        return self.model.predict(data)

    def shape(self):
        trees = self.model.get_dump()
        return len(trees), sum(tree.count("leaf=") for tree in trees)

    def size(self):
        return {"file_bytes": len(self.model.save_raw("ubj"))}


class ScikitLearn(Library):
    """`estimator`: one that is ready to fit."""

    package = "scikit-learn"

    def fit(self, rows, form):
        self.model = self.estimator(rows).fit(form, rows.target)

    def predict(self, form):
        if not self.classes:
            return self.model.predict(form)
        found = self.model.predict_proba(form)
        return found[:, 1] if self.classes == 2 else found

    def class_names(self):
        return self.model.classes_.tolist() if self.classes > 2 else None


class YDF(Library):
    """`learner`: one that is ready to train, given what all take."""

    package = "ydf"

    def form(self, rows):
        columns = {f"x{i}": column for i, column in enumerate(np.asfortranarray(rows.matrix).T)}
        for column in rows.categorical:
            codes = np.nan_to_num(rows.matrix[:, column], nan=-1).astype("int64")
            columns[f"x{column}"] = np.where(codes < 0, "", codes.astype(str)).astype(bytes)
        return columns | {"y": rows.target}

    def fit(self, rows, form):
        import ydf

        ydf.verbose(0)
        task = ydf.Task.CLASSIFICATION if self.classes else ydf.Task.REGRESSION
        kinds = [ydf.Feature(f"x{i}", ydf.Semantic.CATEGORICAL) for i in rows.categorical]
        learner = self.learner(label="y", task=task, features=kinds, include_all_columns=True)
        self.model = learner.train(form)

    def predict(self, form):
        return self.model.predict(form, num_threads=self.threads)

    def single(self, rows, row):
        return self.form(rows.slice(row, row + 1))

    def class_names(self):
        return self.model.label_classes() if self.classes > 2 else None

    def shape(self):
        trees = self.model.num_trees()
        nodes = sum(count_nodes(self.model.get_tree(i).root) for i in range(trees))
        return trees, (nodes + trees) // 2

    def size(self):
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(f"{folder}/model")
            files = Path(folder, "model").rglob("*")
            return {"file_bytes": sum(file.stat().st_size for file in files if file.is_file())}


def count_nodes(node):
    """Without recursion: trees of a forest may be deep."""
    count, waiting = 0, [node]
    while waiting:
        node = waiting.pop()
        count += 1
        if not node.is_leaf:
            waiting += [node.pos_child, node.neg_child]
    return count

"""The peers of gradient boosting, one class each, as their users would call them.

Each takes the rows in its own natural form (`form`, made before the clock starts), fits them with
binning (`fit`), predicts probabilities or numbers for many rows (`predict`) and for one
(`one`, given what `single` made of a row), and says how many trees and leaves it has (`shape`).
Libraries are imported by the class that needs them: a process holds one peer only.
"""

import ctypes
import importlib.metadata

import numpy as np
import pandas as pd

import boost_settings


class Library:
    package = ""

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


class LightGBM(Library):
    package = "lightgbm"
    more = {}

    def fit(self, rows, form):
        import lightgbm

        settings = boost_settings.lightgbm(self.settings, self.classes, self.threads) | self.more
        columns = rows.categorical or "auto"
        data = lightgbm.Dataset(form, rows.target, categorical_feature=columns)
        self.model = lightgbm.train(settings, data, self.settings.trees)

    def predict(self, form):
        return self.model.predict(form, num_threads=self.threads)

    def shape(self):
        lines = self.model.model_to_string().splitlines()
        leaves = [int(line.split("=")[1]) for line in lines if line.startswith("num_leaves=")]
        return len(leaves), sum(leaves)

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


class LightGBMQuantized(LightGBM):
    more = {"use_quantized_grad": True}


class XGBoost(Library):
    package = "xgboost"

    def fit(self, rows, form):
        import xgboost

        kinds = ["q"] * form.shape[1]
        for column in rows.categorical:
            kinds[column] = "c"
        settings = boost_settings.xgboost(self.settings, self.classes, self.threads)
        data = xgboost.QuantileDMatrix(
            form,
            rows.target,
            feature_types=kinds,
            enable_categorical=True,
            max_bin=self.settings.bins,
            nthread=self.threads,
        )
        self.model = xgboost.train(settings, data, self.settings.trees)
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


class CatBoost(Library):
    package = "catboost"

    def form(self, rows):
        if not rows.categorical:
            return rows.matrix
        frame = pd.DataFrame(rows.matrix)
        for column in rows.categorical:
            frame[column] = np.nan_to_num(rows.matrix[:, column], nan=-1).astype("int32")
        return frame

    def fit(self, rows, form):
        import catboost

        settings = boost_settings.catboost(self.settings, self.classes, self.threads)
        data = catboost.Pool(
            form, rows.target, cat_features=rows.categorical, thread_count=self.threads
        )
        self.model = catboost.CatBoost(settings).fit(data)

    def predict(self, form):
        kind = "Probability" if self.classes else "RawFormulaVal"
        found = self.model.predict(form, prediction_type=kind, thread_count=self.threads)
        return found[:, 1] if self.classes == 2 else found

    def single(self, rows, row):
        if not rows.categorical:
            return rows.matrix[row : row + 1]
        return self.form(rows.slice(row, row + 1))

    def shape(self):
        return self.model.tree_count_, int(sum(self.model.get_tree_leaf_counts()))


class ScikitLearn(Library):
    package = "scikit-learn"

    def fit(self, rows, form):
        from sklearn import ensemble

        kind = "Classifier" if self.classes else "Regressor"
        kind = getattr(ensemble, f"HistGradientBoosting{kind}")
        few = [c for c in rows.categorical if rows.levels[c] <= self.settings.bins]
        settings = boost_settings.scikit_learn(self.settings)
        self.model = kind(categorical_features=few or None, **settings).fit(form, rows.target)

    def predict(self, form):
        if not self.classes:
            return self.model.predict(form)
        found = self.model.predict_proba(form)
        return found[:, 1] if self.classes == 2 else found

    def shape(self):
        trees = [tree for rounds in self.model._predictors for tree in rounds]
        return len(trees), sum(tree.get_n_leaf_nodes() for tree in trees)


class YDF(Library):
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
        learner = ydf.GradientBoostedTreesLearner(
            label="y",
            task=task,
            features=kinds,
            include_all_columns=True,
            **boost_settings.ydf(self.settings, self.threads),
        )
        self.model = learner.train(form)

    def predict(self, form):
        return self.model.predict(form, num_threads=self.threads)

    def single(self, rows, row):
        return self.form(rows.slice(row, row + 1))

    def shape(self):
        trees = self.model.num_trees()
        nodes = sum(count_nodes(self.model.get_tree(i).root) for i in range(trees))
        return trees, (nodes + trees) // 2


def count_nodes(node):
    if node.is_leaf:
        return 1
    return 1 + count_nodes(node.pos_child) + count_nodes(node.neg_child)


class OnnxRuntime(LightGBM):
    """LightGBM's model, run by ONNX Runtime. Only its predictions are raced."""

    predicts_only = True

    def version(self):
        return importlib.metadata.version("onnxruntime")

    def fit(self, rows, form):
        import onnxruntime
        from onnxmltools.convert import convert_lightgbm
        from onnxmltools.convert.common.data_types import FloatTensorType

        super().fit(rows, form)
        kind = [("x", FloatTensorType([None, form.shape[1]]))]
        converted = convert_lightgbm(self.model, initial_types=kind, zipmap=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(converted.SerializeToString(), options)
        self.output = self.session.get_outputs()[-1].name

    def predict(self, form):
        found = self.session.run([self.output], {"x": form})[0]
        return found[:, 1] if self.classes == 2 else found

    def single(self, rows, row):
        return rows.matrix[row : row + 1]

    def one(self, form):
        return self.session.run([self.output], {"x": form})


class Lleaves(LightGBM):
    """LightGBM's model, compiled by lleaves. Only its predictions are raced."""

    predicts_only = True

    def version(self):
        return importlib.metadata.version("lleaves")

    def fit(self, rows, form):
        import tempfile

        import lleaves

        super().fit(rows, form)
        with tempfile.TemporaryDirectory() as folder:
            self.model.save_model(f"{folder}/model.txt")
            self.compiled = lleaves.Model(f"{folder}/model.txt")
            self.compiled.compile()

    def predict(self, form):
        return self.compiled.predict(form, n_jobs=self.threads)

    def single(self, rows, row):
        return rows.matrix[row : row + 1].astype("float64")

    def one(self, form):
        return self.compiled.predict(form, n_jobs=1)


LIBRARIES = {
    "lightgbm": LightGBM,
    "lightgbm-quantized": LightGBMQuantized,
    "xgboost": XGBoost,
    "catboost": CatBoost,
    "scikit-learn": ScikitLearn,
    "ydf": YDF,
    "onnxruntime": OnnxRuntime,
    "lleaves": Lleaves,
}

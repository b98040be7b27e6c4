"""The peers of gradient boosting: those of `libraries` with the settings of `boost_settings`, and
those that are raced here only."""

import importlib.metadata
import tempfile

import numpy as np
import pandas as pd

import boost_settings
import libraries


class LightGBM(libraries.LightGBM):
    def words(self, rows):
        return boost_settings.lightgbm(self.settings, self.classes, self.threads)


class LightGBMQuantized(LightGBM):
    def words(self, rows):
        return super().words(rows) | {"use_quantized_grad": True}


class XGBoost(libraries.XGBoost):
    def words(self, rows):
        return boost_settings.xgboost(self.settings, self.classes, self.threads)

    def rounds(self):
        return self.settings.trees


class CatBoost(libraries.Library):
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


class ScikitLearn(libraries.ScikitLearn):
    def estimator(self, rows):
        from sklearn import ensemble

        kind = "Classifier" if self.classes else "Regressor"
        kind = getattr(ensemble, f"HistGradientBoosting{kind}")
        few = [c for c in rows.categorical if rows.levels[c] <= self.settings.bins]
        return kind(categorical_features=few or None, **boost_settings.scikit_learn(self.settings))

    def shape(self):
        trees = [tree for rounds in self.model._predictors for tree in rounds]
        return len(trees), sum(tree.get_n_leaf_nodes() for tree in trees)


class YDF(libraries.YDF):
    def learner(self, **given):
        import ydf

        words = boost_settings.ydf(self.settings, self.threads)
        return ydf.GradientBoostedTreesLearner(**given, **words)


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

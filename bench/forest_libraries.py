"""The peers of forests: those of `libraries` with the settings of `forest_settings`, and ranger."""

import os
import pickle
import shutil
import subprocess
from pathlib import Path

import numpy as np

import forest_settings
import libraries


class ScikitLearn(libraries.ScikitLearn):
    def estimator(self, rows):
        from sklearn import ensemble

        kind = "ExtraTrees" if self.settings.extra else "RandomForest"
        kind = getattr(ensemble, kind + ("Classifier" if self.classes else "Regressor"))
        return kind(**forest_settings.scikit_learn(self.settings, self.threads))

    def single(self, rows, row):
        self.model.n_jobs = 1  # starting threads would cost more than one row
        return super().single(rows, row)

    def shape(self):
        trees = self.model.estimators_
        return len(trees), int(sum(tree.get_n_leaves() for tree in trees))

    def size(self):
        """In memory: the arrays of the trees alone."""
        states = [tree.tree_.__getstate__() for tree in self.model.estimators_]
        arrays = sum(state["nodes"].nbytes + state["values"].nbytes for state in states)
        return {"model_bytes": arrays, "file_bytes": len(pickle.dumps(self.model))}


class LightGBM(libraries.LightGBM):
    def words(self, rows):
        return forest_settings.lightgbm(
            self.settings, self.classes, self.threads, *rows.matrix.shape
        )


class XGBoost(libraries.XGBoost):
    def words(self, rows):
        columns = rows.matrix.shape[1]
        return forest_settings.xgboost(self.settings, self.classes, self.threads, columns)

    def rounds(self):
        return 1


class YDF(libraries.YDF):
    more = {}

    def learner(self, **given):
        import ydf

        words = forest_settings.ydf(self.settings, self.threads) | self.more
        return ydf.RandomForestLearner(**given, **words)


class YDFDiscretized(YDF):
    def __init__(self, settings, classes, threads):
        super().__init__(settings, classes, threads)
        self.more = {
            "discretize_numerical_columns": True,
            "num_discretized_numerical_bins": settings.bins,
        }


class Ranger(libraries.Library):
    """R's own process takes the place of Python's, once the rows are written in a form that it
    reads fast: doubles, column by column, the target last."""

    def elsewhere(self, train, test, predictions):
        program = shutil.which("Rscript")
        if program is None:
            raise SystemExit("no Rscript: install r-cran-ranger")
        command = ["Rscript", "--vanilla", str(Path(__file__).with_name("forest_ranger.R"))]
        for part, rows in (("train", train), ("test", test)):
            file = f"{predictions}.{part}"
            write_columns(rows, file)
            command += [file, str(len(rows.target))]
        command += [str(train.matrix.shape[1]), predictions]
        command += forest_settings.ranger(self.settings, self.classes, self.threads)
        os.execv(program, command)


def write_columns(rows, file):
    with open(file, "wb") as out:
        for i, column in enumerate(rows.matrix.T):
            column = column.astype("<f8")
            if i in rows.categorical:
                column = np.nan_to_num(column, nan=-1)
            column.tofile(out)
        rows.target.astype("<f8").tofile(out)


def prepare(peers):
    """Installs ranger if it is to race and is not there; it races and fails if that fails."""
    if "ranger" not in peers or has_ranger():
        return
    install = ["apt-get", "install", "-y", "--no-install-recommends", "r-cran-ranger"]
    try:
        if subprocess.run(install, stdout=subprocess.DEVNULL).returncode:
            subprocess.run(["apt-get", "update"], stdout=subprocess.DEVNULL)
            subprocess.run(install, stdout=subprocess.DEVNULL)
    except FileNotFoundError:
        print("no apt-get here: install R and its package ranger by hand")


def has_ranger():
    try:
        done = subprocess.run(["Rscript", "-e", "library(ranger)"], capture_output=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0


LIBRARIES = {
    "scikit-learn": ScikitLearn,
    "ranger": Ranger,
    "ydf": YDF,
    "ydf-discretized": YDFDiscretized,
    "lightgbm": LightGBM,
    "xgboost": XGBoost,
}

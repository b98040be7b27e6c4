"""The peers of isolation forests, with the settings of `isolation_settings`; and weald's package.

All give the paper's score: the higher, the more anomalous.
"""

import pickle

import numpy as np

import isolation_settings
import libraries


class Weald(libraries.Weald):
    def __init__(self, settings, classes, threads):
        import weald

        libraries.Library.__init__(self, settings, classes, threads)
        _, *words = settings.words
        names = {"n_trees": "n_estimators", "sample_rows": "max_samples"}
        chosen = {names[key]: int(value) for key, value in (word.split("=") for word in words)}
        self.estimator = weald.IsolationForest(n_jobs=threads, random_state=settings.seed, **chosen)

    def predict(self, form):
        return -self.estimator.score_samples(form)

    def class_names(self):
        return None

    def shape(self):
        return self.estimator.model_.n_trees, 0


class ScikitLearn(libraries.Library):
    package = "scikit-learn"

    def fit(self, rows, form):
        from sklearn.ensemble import IsolationForest

        words = isolation_settings.scikit_learn(self.settings, self.threads)
        self.model = IsolationForest(**words).fit(form)

    def predict(self, form):
        return -self.model.score_samples(form)

    def shape(self):
        trees = self.model.estimators_
        return len(trees), int(sum(tree.get_n_leaves() for tree in trees))

    def size(self):
        return {"file_bytes": len(pickle.dumps(self.model))}


class Isotree(libraries.Library):
    """Numbers in double precision: by columns for the fit, by rows for scores, which is what its
    manual advises."""

    package = "isotree"

    def form(self, rows):
        by_rows = np.ascontiguousarray(rows.matrix, dtype="float64")
        return by_rows, np.asfortranarray(by_rows)

    def single(self, rows, row):
        one = np.ascontiguousarray(rows.matrix[row : row + 1], dtype="float64")
        return one, one

    def fit(self, rows, form):
        from isotree import IsolationForest

        words = isolation_settings.isotree(self.settings, self.threads)
        self.model = IsolationForest(**words).fit(form[1])

    def predict(self, form):
        return self.model.predict(form[0])

    def shape(self):
        nodes, leaves = self.model.get_num_nodes()
        return len(nodes), int(np.sum(leaves))

    def size(self):
        return {"file_bytes": len(pickle.dumps(self.model))}


LIBRARIES = {"scikit-learn": ScikitLearn, "isotree": Isotree}

"""The peer of AdaBoost, with the settings of `adaboost_settings`."""

import pickle

import adaboost_settings
import libraries


class ScikitLearn(libraries.ScikitLearn):
    def estimator(self, rows):
        from sklearn.ensemble import AdaBoostClassifier

        return AdaBoostClassifier(**adaboost_settings.scikit_learn(self.settings))

    def shape(self):
        trees = self.model.estimators_
        return len(trees), int(sum(tree.get_n_leaves() for tree in trees))

    def size(self):
        return {"file_bytes": len(pickle.dumps(self.model))}


LIBRARIES = {"scikit-learn": ScikitLearn}

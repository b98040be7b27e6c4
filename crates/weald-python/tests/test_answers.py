"""What estimators, losses, metrics and experts of others answer is looked at before it is used."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor

import weald
from conftest import numbers

X, y = numbers(90)
LABELS = np.where(y == 1, "yes", "no")


class OddClassifier(ClassifierMixin, BaseEstimator):
    """Says what `odd` makes of sound probabilities."""

    def __init__(self, odd=None):
        self.odd = odd

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]

    def predict_proba(self, X):
        said = np.tile([0.25, 0.75], (len(X), 1))
        return said if self.odd is None else self.odd(said)

    def predict(self, X):
        return self.classes_[np.ones(len(X), dtype=int)]


class OddRegressor(RegressorMixin, BaseEstimator):
    """Says what `odd` makes of sound numbers."""

    def __init__(self, odd=None):
        self.odd = odd

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        said = np.linspace(0, 1, len(X))
        return said if self.odd is None else self.odd(said)


def put(*values):
    """Other values in the last row."""

    def odd(said):
        said = said.copy()
        said[-1] = values if said.ndim == 2 else values[0]
        return said

    return odd


def masked(said):
    found = np.ma.array(said)
    found[-1] = np.ma.masked
    return found


BAD_SHARES = {
    "returned nan in row": put(np.nan, 0.5),
    "returned inf in row": put(np.inf, 0.5),
    "returned 5 in row .*; a probability lies between 0 and 1": put(5.0, -4.0),
    "returned -1 in row .*; a probability lies between 0 and 1": put(-1.0, 2.0),
    "sum to 1.1 in row": put(0.5, 0.6),
    "sum to 0 in row": put(0.0, 0.0),
    r"shape \(\d+,\); expected \(\d+, 2\)": lambda said: said[:, 0],
    r"shape \(\d+, 3\)": lambda said: np.column_stack([said, said[:, 0]]),
    r"an array of shape \(1, 2\)": lambda said: said[:1],
    "values of type": lambda said: said.astype(str),
    "values of type object": lambda said: np.full(said.shape, "a", dtype=object),
    "masked values": masked,
    "returned None": lambda said: None,
}
BAD_NUMBERS = {
    "returned nan in row": put(np.nan),
    "returned -inf in row": put(-np.inf),
    r"shape \(\)": lambda said: np.float64(1.0),
    r"shape \(1,\); expected": lambda said: said[:1],
    "values of type": lambda said: said.astype(str),
    "values of type complex": lambda said: said + 1j,
    "masked values": masked,
    "returned None": lambda said: None,
}
OF_CLASSIFIERS = {
    "Bagging": lambda odd: weald.BaggingClassifier(odd, 3, random_state=0),
    "vote": lambda odd: weald.BaggingClassifier(odd, 3, combine="vote", random_state=0),
    "AdaBoost": lambda odd: weald.AdaBoostClassifier(odd, 3, random_state=0),
    "real": lambda odd: weald.AdaBoostClassifier(odd, 3, algorithm="real", random_state=0),
    "Voting": lambda odd: weald.VotingClassifier([("even", OddClassifier()), ("odd", odd)]),
    "hard": lambda odd: weald.VotingClassifier([("odd", odd)], voting="hard"),
    "median": lambda odd: weald.VotingClassifier([("odd", odd)], voting="median"),
    "SuperLearner": lambda odd: weald.SuperLearnerClassifier(
        [("even", OddClassifier()), ("odd", odd)], random_state=0
    ),
    "Selection": lambda odd: weald.EnsembleSelectionClassifier([("odd", odd)], random_state=0),
    "Bayes": lambda odd: weald.BayesOptimalClassifier([("odd", odd)], random_state=0),
    "Stacking": lambda odd: weald.StackingClassifier([("odd", odd)], random_state=0),
    "last": lambda odd: weald.StackingClassifier(
        [("tree", weald.DecisionTreeClassifier())], odd, random_state=0
    ),
    "Dynamic": lambda odd: weald.DynamicSelectionClassifier([("odd", odd)], random_state=0),
    "Mixture": lambda odd: weald.MixtureOfExpertsClassifier(odd, 2, n_rounds=3, random_state=0),
    "Calibrated": lambda odd: weald.CalibratedClassifierCV(odd, random_state=0),
    "OneVsRest": lambda odd: weald.OneVsRestClassifier(odd, random_state=0),
    "OneVsOne": lambda odd: weald.OneVsOneClassifier(odd, random_state=0),
    "codes": lambda odd: weald.OutputCodeClassifier(odd, random_state=0),
}
OF_REGRESSORS = {
    "Bagging": lambda odd: weald.BaggingRegressor(odd, 3, random_state=0),
    "AdaBoost": lambda odd: weald.AdaBoostRegressor(odd, 3, random_state=0),
    "Voting": lambda odd: weald.VotingRegressor([("even", OddRegressor()), ("odd", odd)]),
    "median": lambda odd: weald.VotingRegressor([("odd", odd)], voting="median"),
    "SuperLearner": lambda odd: weald.SuperLearnerRegressor([("odd", odd)], random_state=0),
    "Stacking": lambda odd: weald.StackingRegressor([("odd", odd)], random_state=0),
    "last": lambda odd: weald.StackingRegressor([("tree", OddRegressor())], odd, random_state=0),
    "Mixture": lambda odd: weald.MixtureOfExpertsRegressor(odd, 2, n_rounds=3, random_state=0),
    "gentle": lambda odd: weald.AdaBoostClassifier(odd, 3, algorithm="gentle", random_state=0),
}


def refuses(committee, target, words):
    with pytest.raises(weald.WealdError, match=words) as caught:
        committee.fit(X, target).predict(X)
    assert "Odd" in str(caught.value), "the member is named"
    return str(caught.value)


@pytest.mark.parametrize("name", OF_CLASSIFIERS)
def test_probabilities_of_members(name):
    OF_CLASSIFIERS[name](OddClassifier()).fit(X, LABELS).predict(X)
    for words, odd in BAD_SHARES.items():
        told = refuses(OF_CLASSIFIERS[name](OddClassifier(odd)), LABELS, words)
        assert told.startswith(("OddClassifier.", "member 'odd': Odd", "final_estimator: Odd")), (
            told
        )


@pytest.mark.parametrize("name", OF_REGRESSORS)
def test_numbers_of_members(name):
    target = LABELS if name == "gentle" else X[:, 0]
    OF_REGRESSORS[name](OddRegressor()).fit(X, target).predict(X)
    for words, odd in BAD_NUMBERS.items():
        refuses(OF_REGRESSORS[name](OddRegressor(odd)), target, words)
    wide = OF_REGRESSORS[name](OddRegressor(lambda said: np.column_stack([said, said])))
    with pytest.raises(ValueError):
        wide.fit(X, target).predict(X)


def test_probabilities_in_single_precision_are_sound():
    def single(said):
        return (said + np.array([1e-6, -1e-7])).astype(np.float32)

    for make in OF_CLASSIFIERS.values():
        make(OddClassifier(single)).fit(X, LABELS).predict_proba(X)


def test_labels_that_nobody_has_seen():
    class Odd(OddClassifier):
        predict_proba = property()

        def predict(self, X):
            return np.where(np.arange(len(X)) == 4, self.odd, LABELS[: len(X)])

    for label in ("maybe", "", "zz"):
        words = rf"Odd.predict in row 4 returned '{label}', which is none of the classes 'no'"
        refuses(weald.BaggingClassifier(Odd(label), 3), LABELS, words)
        refuses(weald.VotingClassifier([("odd", Odd(label))]), LABELS, words)

    class Renamed(OddClassifier):
        def fit(self, X, y):
            super().fit(X, y)
            self.classes_ = np.array(["no", "oui"])

    with pytest.raises(weald.WealdError, match=r"Renamed\.classes_ has 'oui', which is none of"):
        weald.BaggingClassifier(Renamed(), 3).fit(X, LABELS)


def test_labels_of_another_type():
    class Odd(OddClassifier):
        predict_proba = property()

        def predict(self, X):
            return [[1], 2, "a"][: len(X)] + [None] * (len(X) - 3)

    with pytest.raises(ValueError):
        weald.VotingClassifier([("odd", Odd())]).fit(X, LABELS).predict(X)


def test_a_member_that_turns_odd_after_the_fit():
    for make in (OF_CLASSIFIERS["Bagging"], OF_CLASSIFIERS["Stacking"], OF_CLASSIFIERS["hard"]):
        committee = make(OddClassifier()).fit(X, LABELS)
        for member in committee.estimators_:
            member.odd = put(np.nan, 0.5)
        with pytest.raises(weald.WealdError, match=r"OddClassifier\.predict_proba returned nan"):
            committee.predict(X)


# Metrics and losses.


def boosting(**changed):
    settings = {"early_stopping_rounds": 3, "validation": "random", "random_state": 0}
    return weald.GradientBoostingClassifier(10, **(settings | changed))


def test_a_metric_that_is_never_a_number():
    with pytest.raises(weald.WealdError, match="returned nan for every round"):
        boosting(eval_metric=lambda y_true, y_pred: np.nan).fit(X, y)
    with pytest.raises(weald.WealdError, match="returned -inf, which would be the best for ever"):
        boosting(eval_metric=lambda y_true, y_pred: -np.inf).fit(X, y)


def test_a_metric_that_returns_no_number():
    for bad in ("0.5", None, [1.0, 2.0], 1j):
        with pytest.raises(TypeError, match=r"eval_metric returned .*; expected a number"):
            boosting(eval_metric=lambda t, p, bad=bad: bad).fit(X, y)


def test_derivatives_below_zero_are_told_of():
    def loss(y, score):
        return score - y, np.where(y == 1, -1.0, 1.0)

    with pytest.warns(weald.DataWarning, match=r"the hessian -1.0 where y is 1.0 .* counts as 0"):
        weald.GradientBoostingClassifier(3, loss=loss, random_state=0).fit(X, y)

    def lacking(y, score):
        return np.ma.array(score - y, mask=y == 1), np.ones(len(y))

    with pytest.raises(ValueError, match="gradient with masked values"):
        weald.GradientBoostingClassifier(3, loss=lacking, random_state=0).fit(X, y)


# Experts.


def test_experts_that_answer_oddly():
    class Short(OddClassifier):
        def predict(self, X):
            return np.zeros(len(X) + 1)

    master = weald.WeightedMajority(experts=[Short()])
    with pytest.raises(ValueError, match=r"shape \(\d+,\); expected"):
        master.fit(X, y)


# Seeds.


class Seeded(DecisionTreeRegressor):
    """A tree that remembers whether it has a seed."""


def states(committee):
    return [
        {k: v for k, v in member.get_params().items() if k.endswith("random_state")}
        for member in committee.estimators_
    ]


@pytest.mark.parametrize("state", [0, 123456, np.random.RandomState(3)])
def test_a_seed_of_the_users_is_kept(state):
    forest = ExtraTreesRegressor(5, random_state=state)
    bagging = weald.BaggingRegressor(forest, 3, random_state=1).fit(X, y)
    for found in states(bagging):
        if isinstance(state, int):
            assert found == {"random_state": state}
        else:
            assert isinstance(found["random_state"], np.random.RandomState)
    assert forest.random_state is state
    pipeline = make_pipeline(StandardScaler(), ExtraTreeRegressor(random_state=7))
    bagging = weald.BaggingRegressor(pipeline, 2, random_state=1).fit(X, y)
    assert states(bagging) == [{"extratreeregressor__random_state": 7}] * 2
    kept = weald.VotingRegressor([("one", forest), ("two", Seeded())], random_state=5).fit(X, y)
    assert isinstance(kept.estimators_[1].random_state, int)
    if isinstance(state, int):
        alone = ExtraTreesRegressor(5, random_state=state).fit(X, y)
        only = weald.VotingRegressor([("one", forest)], random_state=5).fit(X, y)
        assert np.array_equal(only.predict(X), alone.predict(X))


def test_seeds_that_are_not_given_are_set_in_each_part():
    nested = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    bagging = weald.BaggingClassifier(nested, 3, random_state=1).fit(X, y)
    seeds = [found["randomforestclassifier__random_state"] for found in states(bagging)]
    assert len(set(seeds)) == 3 and all(isinstance(seed, int) for seed in seeds)
    again = weald.BaggingClassifier(nested, 3, random_state=1).fit(X, y)
    assert np.array_equal(bagging.predict_proba(X), again.predict_proba(X))
    mixed = weald.StackingClassifier(
        [("a", DecisionTreeClassifier(random_state=3)), ("b", DecisionTreeClassifier())],
        LogisticRegression(),
        random_state=0,
    ).fit(X, y)
    assert mixed.estimators_[0].random_state == 3
    assert mixed.estimators_[1].random_state not in (None, 3)


def test_a_fit_that_returns_nothing():
    class Silent(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y, sample_weight)

    bagging = weald.BaggingRegressor(Silent(), 3, random_state=0).fit(X, X[:, 0])
    assert bagging.score(X, X[:, 0]) > 0.9

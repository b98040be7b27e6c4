"""Estimators side by side, and rows to label."""

import builtins

import numpy as np
import pytest
from scipy import stats
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score

import weald
from conftest import numbers


def test_scores_are_those_of_cross_validation_and_p_of_the_corrected_test():
    X, y = numbers(200)
    estimators = {
        "forest": TheirForest(20, random_state=0),
        "tree": weald.DecisionTreeClassifier(max_depth=2),
    }
    found = weald.compare(X, y, estimators, cv=4, random_state=3)
    assert set(found.index) == {"forest", "tree", "constant"} and found.index[-1] == "constant"
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    scores = {name: cross_val_score(e, X, y, cv=folds) for name, e in estimators.items()}
    best, other = sorted(scores, key=lambda name: -scores[name].mean())
    assert list(found.index[:2]) == [best, other]
    assert found.loc[best, "score"] == pytest.approx(scores[best].mean())
    difference = scores[other] - scores[best]
    # Nadeau & Bengio 2003, with 50 test rows for 150 training rows.
    t = difference.mean() / np.sqrt((1 / 4 + 1 / 3) * difference.var(ddof=1))
    assert found.loc[other, "t"] == pytest.approx(t)
    assert found.loc[other, "p"] == pytest.approx(2 * stats.t.sf(abs(t), 3))
    assert np.isnan(found.loc[best, "p"])
    assert (found["seconds"] > 0).all() and (found["bytes"] > 100).all()


def test_the_default_is_what_weald_has():
    X, y = numbers(120)
    found = weald.compare(X, y, cv=2)
    assert {"GradientBoostingClassifier", "AdaBoostClassifier", "constant"} <= set(found.index)
    found = weald.compare(X, X[:, 0] + y, cv=2)
    assert {"GradientBoostingRegressor", "ExtraTreesRegressor", "constant"} <= set(found.index)
    assert found["score"].max() < 0 and found.index[-1] == "constant"


def test_lists_scorers_groups_and_no_pandas(monkeypatch):
    X, y = numbers(120)
    groups = np.repeat(np.arange(12), 10)
    same = [weald.DecisionTreeClassifier(max_depth=1), weald.DecisionTreeClassifier(max_depth=1)]
    real = builtins.__import__

    def without_pandas(name, *rest):
        if name == "pandas":
            raise ImportError
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    found = weald.compare(X, y, same, cv=GroupKFold(3), groups=groups, scoring="neg_log_loss")
    monkeypatch.undo()
    assert [row["estimator"] for row in found][:2] == [
        "DecisionTreeClassifier",
        "DecisionTreeClassifier 2",
    ]
    assert found[1]["p"] == 1.0 and found[1]["t"] == 0.0
    lines = repr(found).splitlines()
    assert len(lines) == 4 and lines[0].split()[:3] == ["estimator", "score", "deviation"]
    with pytest.raises(TypeError, match="a dict by name, or a list"):
        weald.compare(X, y, LinearRegression())
    for bad in ({"three": 3}, [weald.DecisionTreeClassifier]):
        with pytest.raises(TypeError, match="which is no estimator"):
            weald.compare(X, y, bad)


def test_the_best_are_stacked_on_the_same_folds():
    X, y = numbers(150)
    estimators = {
        "forest": weald.RandomForestClassifier(10, random_state=0),
        "tree": weald.DecisionTreeClassifier(max_depth=2),
        "theirs": TheirForest(5, random_state=0),
        "stump": weald.DecisionTreeClassifier(max_depth=1),
        "bag": weald.BaggingClassifier(n_estimators=5, random_state=0),
    }
    found = weald.compare(X, y, estimators, cv=3, stack=True, random_state=5)
    plain = weald.compare(X, y, estimators, cv=3, random_state=5)
    assert set(found.index) == {*plain.index, "stack of the best"}
    assert np.array_equal(found.loc[plain.index, "score"], plain["score"])
    best = [name for name in plain.index if name not in ("bag", "constant")][:3]
    stacked = weald.StackingClassifier([(n, estimators[n]) for n in best], random_state=5)
    folds = StratifiedKFold(3, shuffle=True, random_state=5)
    expected = cross_val_score(stacked, X, y, cv=folds).mean()
    assert found.loc["stack of the best", "score"] == pytest.approx(expected)
    numeric = [weald.DecisionTreeRegressor(max_depth=2), weald.DecisionTreeRegressor(max_depth=1)]
    found = weald.compare(X, X[:, 0] + y, numeric, cv=2, stack=True)
    assert "stack of the best" in found.index
    with pytest.raises(ValueError, match="needs two estimators to stack"):
        weald.compare(X, y, {"bag": estimators["bag"], "tree": estimators["tree"]}, 2, stack=True)


@pytest.mark.parametrize("by", ["tie", "entropy", "kl"])
def test_the_rows_that_trees_disagree_about(by):
    X, y = numbers(300)
    model = weald.RandomForestClassifier(40, random_state=0).fit(X[:200], y[:200])
    rows, scores = weald.query(model, X, 15, by=by)
    assert len(rows) == 15 and (np.diff(scores) <= 0).all()
    if by == "kl":
        return
    votes = np.stack([p[:, 1] for p in _tree_votes(model, X)]).mean(axis=0)
    lead = np.abs(2 * votes - 1)
    expected = 1 - lead if by == "tie" else stats.entropy([votes, 1 - votes])
    assert np.allclose(scores, expected[rows])
    assert np.array_equal(rows, np.argsort(-expected.round(9), kind="stable")[:15])
    loaded = weald.Model(model.model_._core)
    assert np.array_equal(weald.query(loaded, X, 15, by=by, n_jobs=1)[0], rows)


def _tree_votes(model, X):
    """What each tree of a forest says, taken apart from the stages of the whole."""
    before = 0.0
    for n, stage in enumerate(model._staged_scores(X), 1):
        own = stage * n - before
        before = stage * n
        yield np.eye(2)[np.argmax(own.round(9), axis=1)]


def test_models_without_members_and_bad_input():
    X, y = numbers(200)
    model = weald.GradientBoostingClassifier(10, random_state=0).fit(X, y)
    rows, scores = weald.query(model, X, 5)
    lead = np.abs(np.diff(model.predict_proba(X), axis=1))[:, 0]
    assert np.array_equal(rows, np.argsort(lead, kind="stable")[:5])
    assert np.allclose(scores, 1 - lead[rows])
    with pytest.raises(weald.WealdError, match="has no members"):
        weald.query(model, X, by="kl")
    with pytest.raises(weald.WealdError, match="expected one of tie, entropy, kl"):
        weald.query(model, X, by="margin")
    with pytest.raises(weald.WealdError, match="needs a model of classes"):
        weald.query(weald.RandomForestRegressor(5).fit(X, y), X)
    with pytest.raises(TypeError, match="give a fitted estimator of weald"):
        weald.query(TheirForest().fit(X, y), X)
    for by in ("tie", "entropy", "kl"):
        boost = weald.AdaBoostClassifier(n_estimators=20).fit(X, y)
        bag = weald.BaggingClassifier(n_estimators=10, random_state=0).fit(X, y)
        for committee in (boost, bag):
            assert (weald.query(committee, X, 5, by=by)[1] >= 0).all()

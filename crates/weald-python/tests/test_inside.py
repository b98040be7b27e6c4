"""Leaves, paths, importances, stages, and what forests know beyond their mean."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor as TheirTree

import weald
from conftest import TREES, numbers


def test_leaves_and_paths_are_scikit_learns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    y = rng.normal(size=300)
    ours = weald.DecisionTreeRegressor(max_depth=5, min_samples_leaf=8).fit(X, y)
    theirs = TheirTree(max_depth=5, min_samples_leaf=8, random_state=0).fit(X, y)
    assert np.array_equal(ours.apply(X), theirs.apply(X))
    assert (ours.decision_path(X) != theirs.decision_path(X)).nnz == 0
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-6)
    assert ours.get_depth() == theirs.get_depth()
    assert ours.get_n_leaves() == theirs.get_n_leaves()


@pytest.mark.parametrize("name", TREES)
def test_every_model_of_trees_tells_its_leaves(name):
    X, y = numbers(300)
    model = getattr(weald, name)(random_state=0).fit(X, y)
    leaves = model.apply(X).reshape(300, -1)
    assert leaves.shape[1] == model.model_._core.n_trees
    passed = model.decision_path(X)
    passed, begins = passed if isinstance(passed, tuple) else (passed, [0, passed.shape[1]])
    assert passed.shape[1] == begins[-1]
    for tree in range(min(3, leaves.shape[1])):
        # The last node that a row passes in a tree is its leaf.
        nodes = passed[:, begins[tree] : begins[tree + 1]].toarray()
        last = nodes.shape[1] - 1 - np.argmax(nodes[:, ::-1], axis=1)
        assert np.array_equal(last, leaves[:, tree])
    importances = model.feature_importances_
    assert importances.shape == (5,) and importances.sum() == pytest.approx(1)
    if "Tree" not in name or "Extra" in name:
        assert np.argmax(importances) == 0


@pytest.mark.parametrize("name", [n for n in TREES if "DecisionTree" not in n])
def test_the_last_stage_is_the_prediction(name):
    X, y = numbers(100)
    model = getattr(weald, name)(n_estimators=7, random_state=0).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == getattr(model, "n_estimators_", 7) >= 3
    assert np.array_equal(stages[-1], model.predict(X))
    fewer = getattr(weald, name)(n_estimators=3, random_state=0).fit(X, y)
    assert np.array_equal(stages[2], fewer.predict(X))


def test_nodes_of_a_tree_lead_rows_to_their_leaves(frame):
    X, y = frame
    model = weald.DecisionTreeClassifier(max_depth=4).fit(X, y)
    nodes = model.model_._core.tree(0)
    assert {node["feature"] for node in nodes} - {None} <= set(X.columns)
    assert any("levels" in node for node in nodes) and any("threshold" in node for node in nodes)
    assert nodes[0]["weight"] == 400
    shares = {at: node["value"] for at, node in enumerate(nodes) if node["feature"] is None}
    found = np.array([shares[leaf] for leaf in model.apply(X)])
    assert np.allclose(found, model.predict_proba(X))
    with pytest.raises(weald.WealdError, match="there is no tree 1; there are 1"):
        model.model_._core.tree(1)


def test_what_forests_know_beyond_their_mean():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = X[:, 0] + np.where(X[:, 1] > 0, 2.0, 0.1) * rng.normal(size=600)
    model = weald.RandomForestRegressor(
        200, min_samples_leaf=5, keep_rows=True, permutation_importance=True, random_state=0
    ).fit(X, y)
    quantiles = model.predict_quantiles(X, [0.1, 0.5, 0.9])
    assert quantiles.shape == (600, 3) and (np.diff(quantiles, axis=1) >= 0).all()
    spread = quantiles[:, 2] - quantiles[:, 0]
    assert spread[X[:, 1] > 0.3].mean() > 1.5 * spread[X[:, 1] < -0.3].mean()
    assert (model.standard_errors(X) >= 0).all()
    near = model.proximity(X[:20])
    assert np.allclose(np.diag(near), 1) and np.allclose(near, near.T)
    assert model.proximity(X[:20], X[:7]).shape == (20, 7)
    rises, errors = model.permutation_importances_
    assert np.argmax(rises) == 0 and (errors >= 0).all()
    assert np.argmax(model.unbiased_importances_) == 0
    plain = weald.RandomForestRegressor(5, random_state=0).fit(X, y)
    with pytest.raises(weald.WealdError, match="keep_rows=true"):
        plain.predict_quantiles(X)
    assert plain.permutation_importances_ is None

"""Groups of rows: whoever asks a model about held-out rows asks it about groups not trained on."""

import numpy as np
from sklearn.model_selection import GroupKFold

import weald


def groups_of_four(n_groups=40, seed=0):
    """Rows of a group are near each other and have one class, which says nothing of others."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), 4)
    x = rng.permutation(n_groups)[groups] + np.tile([0.0, 0.1, 0.2, 0.3], n_groups)
    return x.reshape(-1, 1), rng.integers(0, 2, n_groups)[groups], groups


def members():
    prior = weald.LogisticRegression(C=1e-6)
    return [("near", weald.KNeighborsClassifier(1)), ("prior", prior)]


def test_a_stack_of_the_best_gets_the_groups():
    X, y, groups = groups_of_four()
    compared = weald.compare(
        X, y, dict(members()), cv=GroupKFold(5), groups=groups, stack=True, scoring="neg_log_loss"
    )
    # The last learner must not have seen that a neighbour of the same group is always right.
    stack, near = (compared["score"][name] for name in ("stack of the best", "near"))
    assert stack > -1.0 > near


def test_members_end_by_groups_that_they_are_not_trained_on():
    X, y, groups = groups_of_four()
    boosting = weald.GradientBoostingClassifier(random_state=0)
    alone = weald.SuperLearnerClassifier([("boosting", boosting)], random_state=0)
    log_loss = []
    for given in ({}, {"groups": groups}):
        said = alone.fit(X, y, **given).predict_proba(X)
        log_loss.append(-np.log(said[np.arange(len(y)), y]).mean())
    assert log_loss[0] < 0.1, "rows of a group tell its class"
    assert log_loss[1] > 0.5, "other groups do not"


def test_the_order_of_parameters_does_not_matter():
    X, y, _ = groups_of_four()
    for parameters in ({"bootstrap": True, "patience": 5}, {"patience": 5, "bootstrap": True}):
        weald.ExtraTreesClassifier(30, random_state=0, **parameters).fit(X, y)

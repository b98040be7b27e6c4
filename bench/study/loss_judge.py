"""What predictions for a loss are worth on rows that were not trained on: lower is better.

Quantiles are judged by the pinball loss, `absolute` by the mean absolute error, `huber` by its own;
counts and amounts by their deviance; times to an event by the share of pairs in the wrong order (1
minus Harrell's concordance); rankings by 1 minus the mean NDCG of the first ten places of a query.
"""

import numpy as np
from sklearn import metrics

import loss_sides

LEAST_MEAN = 1e-6
PLACES = 10


def judge(loss, train, test, said):
    kind, truth = loss.split(":")[0], test["y"].to_numpy()
    if kind == "quantile":
        return float(metrics.mean_pinball_loss(truth, said, alpha=loss_sides.number(loss)))
    if kind == "absolute":
        return float(np.abs(truth - said).mean())
    if kind == "huber":
        return huber(truth - said, loss_sides.huber_distance(train))
    if kind == "cox":
        return discordance(truth, said)
    if kind == "lambdarank":
        return 1 - mean_ndcg(test["query"].to_numpy(), truth, said)
    power = {"poisson": 1, "gamma": 2}.get(kind) or loss_sides.number(loss)
    said = np.maximum(said, LEAST_MEAN)
    return float(metrics.mean_tweedie_deviance(truth, said, power=power))


def coverage(test, said):
    """The share of rows that lie at or below what is said of them."""
    return float((test["y"].to_numpy() <= said).mean())


def huber(errors, distance):
    size = np.abs(errors)
    near = np.minimum(size, distance)
    return float((0.5 * near**2 + distance * (size - near)).mean())


def discordance(times, said):
    """Pairs of which it is known whose event came first; those said to be alike count half."""
    ends, wrong, pairs = np.abs(times), 0.0, 0
    for row in np.flatnonzero(times > 0):
        later = ends > ends[row]
        pairs += later.sum()
        wrong += (said[later] > said[row]).sum() + 0.5 * (said[later] == said[row]).sum()
    return float(wrong / pairs)


def mean_ndcg(queries, truth, said):
    """Over queries that have rows of different relevance."""
    found = []
    for query in np.unique(queries):
        rows = queries == query
        if len(np.unique(truth[rows])) > 1:
            gains = 2.0 ** truth[rows] - 1
            found.append(metrics.ndcg_score([gains], [said[rows]], k=PLACES))
    return float(np.mean(found))

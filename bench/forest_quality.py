"""Compares random forests with scikit-learn's on public data sets, same settings, same folds.

    bench/run forest_quality [--sets letter,spam] [--categories] [--folds 5] [--max-rows 100000]
        [--output FILE]

100 trees grown to the end on bootstraps; a node chooses from the square root of the features for
classes, from a third of them for numbers. Share of errors and log loss for classes, root mean
squared error for numbers, on K folds (stratified for classes). In the log loss a probability is at
least half a tree's share, .005: else a few rows with a probability of 0 would decide it.
scikit-learn with another seed is compared, too, to show how often noise alone looks like a
difference. Sets with categories are left out unless asked for: weald takes them as categories,
scikit-learn their codes as numbers.
"""

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import forest_settings
import judge
import quality

THREADS = 2


def settings(train, classes, seed=0):
    rule = "sqrt" if classes else "third"
    features = forest_settings.feature_count(rule, train.shape[1] - 1)
    return forest_settings.Settings(features=features, seed=seed)


def ours(bins):
    def side(train, test, classes):
        words = forest_settings.weald(settings(train, classes), bins)
        return quality.weald(train, test, classes, words)

    return side


def theirs(seed):
    def side(train, test, classes):
        kind = RandomForestClassifier if classes else RandomForestRegressor
        words = forest_settings.scikit_learn(settings(train, classes, seed), THREADS)
        model = kind(**words).fit(numbers(train), train["y"])
        return (model.predict_proba if classes else model.predict)(numbers(test))

    return side


def numbers(rows):
    """Features as a matrix, categories as codes, missing as such."""
    columns = [rows[name] for name in rows.columns if name != "y"]
    codes = [c.cat.codes.where(c.notna()) if c.dtype == "category" else c for c in columns]
    return np.column_stack([column.to_numpy("float64") for column in codes])


def error(truth, predicted, classes):
    """The share of wrong classes, or the root mean squared error."""
    if not classes:
        return judge.loss(truth, predicted, 0)
    return float(np.mean(predicted.argmax(axis=1) != truth))


def log_loss(truth, predicted, classes):
    if not classes:
        return None
    least = 0.5 / forest_settings.Settings.trees
    held = np.maximum(predicted, least)
    return judge.loss(truth, held / held.sum(axis=1, keepdims=True), classes)


def main():
    parser = quality.parser(__doc__.splitlines()[0])
    parser.add_argument("--categories", action="store_true", help="also sets with categories")
    parser.set_defaults(max_rows=100_000)
    args = parser.parse_args()
    comparison = quality.Comparison(
        title="Random forests against scikit-learn: quality at the same settings",
        name="forest_quality",
        about=__doc__.split("\n\n")[2],
        versions=f"scikit-learn {sklearn.__version__}",
        sides={
            "weald": ours("fine"),
            "weald-exact": ours("exact"),
            "scikit-learn, another seed": theirs(1),
            "scikit-learn": theirs(0),
        },
        measures={"error": error, "log loss": log_loss},
        takes=lambda entry: args.categories or not entry["categorical"],
    )
    quality.run(comparison, args)


if __name__ == "__main__":
    main()

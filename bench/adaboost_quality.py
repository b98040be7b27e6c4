"""Compares AdaBoost with scikit-learn's on public data sets, same settings, same folds.

    bench/run adaboost_quality [--sets abalone,spam] [--folds 5] [--max-rows 20000] [--output FILE]

100 rounds: stumps by SAMME for classes, AdaBoost.R2 of trees of three levels with the linear loss
for numbers, the rows drawn by weight as scikit-learn draws them (`weald`) or weighted
(`weald-weighted`). Share of errors for classes, root mean squared error for numbers, on K folds
(stratified for classes). scikit-learn with another seed is compared, too, to show how often noise
alone looks like a difference. scikit-learn is given the codes of categories as numbers. Sets with
missing values are left out.
"""

import sklearn
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor

import quality
from forest_quality import error, numbers

ROUNDS = 100


def ours(resampling):
    def side(train, test, classes):
        method = ["samme"] if classes else ["adaboost-r2", f"resampling={resampling}"]
        words = [*method, f"n_rounds={ROUNDS}"]
        return quality.weald(train, test, classes, words)

    return side


def theirs(seed):
    def side(train, test, classes):
        kind = AdaBoostClassifier if classes else AdaBoostRegressor
        model = kind(n_estimators=ROUNDS, random_state=seed).fit(numbers(train), train["y"])
        return (model.predict_proba if classes else model.predict)(numbers(test))

    return side


def main():
    parser = quality.parser(__doc__.splitlines()[0])
    parser.set_defaults(max_rows=20_000)
    args = parser.parse_args()
    comparison = quality.Comparison(
        title="AdaBoost against scikit-learn: quality at the same settings",
        name="adaboost_quality",
        about=__doc__.split("\n\n")[2],
        versions=f"scikit-learn {sklearn.__version__}",
        sides={
            "weald": ours("once"),
            "weald-weighted": ours("none"),
            "scikit-learn, another seed": theirs(1),
            "scikit-learn": theirs(0),
        },
        measures={"error": error},
        takes=lambda entry: not entry.get("missing"),
    )
    quality.run(comparison, args)


if __name__ == "__main__":
    main()

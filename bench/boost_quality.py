"""Compares gradient boosting with LightGBM's on public data sets, same settings, same folds.

    bench/run boost_quality [--sets adult,spam] [--folds 5] [--max-rows 1000000] [--output FILE]

100 trees of 31 leaves, rate 0.1, no l2, at least 20 rows per leaf, the same columns as categories
on both sides; LightGBM's handling of categories is at its defaults. Log loss for classes, root
mean squared error for numbers, on K folds (stratified for classes).
"""

import lightgbm
import numpy as np

import boost_settings
import quality

SETTINGS = boost_settings.Settings(leaves=31)


def ours(train, test, classes):
    words = ["gradient-boosting", *boost_settings.weald(SETTINGS)]
    return quality.weald(train, test, classes, words)


def theirs(train, test, classes):
    settings = boost_settings.lightgbm(SETTINGS, classes, 1) | {"deterministic": True}
    x, y = train.drop(columns="y"), train["y"].to_numpy()
    model = lightgbm.train(settings, lightgbm.Dataset(x, y), SETTINGS.trees)
    found = model.predict(test.drop(columns="y"))
    return np.column_stack([1 - found, found]) if classes == 2 else found


def main():
    args = quality.parser(__doc__.splitlines()[0]).parse_args()
    comparison = quality.Comparison(
        title="Gradient boosting against LightGBM: quality at the same settings",
        name="boost_quality",
        about=__doc__.split("\n\n")[2],
        versions=f"LightGBM {lightgbm.__version__}",
        sides={"weald": ours, "LightGBM": theirs},
    )
    quality.run(comparison, args)


if __name__ == "__main__":
    main()

"""The libraries of the study, left to their defaults, on one thread.

A side is given training rows, test rows (frames with the target `y`, categories as pandas
categories), the number of classes (0: numbers) and a seed, and returns how to fit and how to
predict. Only what a library cannot do by itself is done for it, before the clock starts: CatBoost
is given the names of categories as text and is told which columns they are; scikit-learn's booster
takes at most 255 levels, which it wants named by numbers, and its forest none, so that such columns
are given as codes.
"""

import importlib.metadata

import numpy as np

import quality

MOST_LEVELS = 255
PACKAGES = {"scikit-learn": "scikit-learn", "scikit-learn-forest": "scikit-learn"}


def version(side):
    return (
        ""
        if side == "constant"
        else importlib.metadata.version(PACKAGES.get(side, side.split("-")[0]))
    )


def parts(train, test):
    """Features and target of the rows trained on, and the features of the others."""
    return train.drop(columns="y"), train["y"].to_numpy(), test.drop(columns="y")


def categories(x):
    return [name for name in x if x[name].dtype == "category"]


def coded(x, most_levels=-1):
    """Categories of more than so many levels as the numbers of their levels."""
    wide = [name for name in categories(x) if len(x[name].cat.categories) > most_levels]
    codes = {name: x[name].cat.codes.astype("float32").replace(-1, np.nan) for name in wide}
    return x.assign(**codes)


def numbered(x):
    """Levels named by numbers: scikit-learn does not take text with missing values."""
    names = categories(x)
    return x.assign(
        **{n: x[n].cat.rename_categories(range(len(x[n].cat.categories))) for n in names}
    )


def estimator(classifier, regressor, classes, **words):
    return (classifier if classes else regressor)(**words)


def answers(model, x, classes):
    return model.predict_proba(x) if classes else model.predict(x)


def constant(train, test, classes, seed):
    """The best that can be said without features: what losses are relative to."""
    return lambda: None, lambda: quality.constant(train, test, classes)


def lightgbm(train, test, classes, seed):
    import lightgbm

    x, y, unseen = parts(train, test)
    model = estimator(
        lightgbm.LGBMClassifier,
        lightgbm.LGBMRegressor,
        classes,
        n_jobs=1,
        random_state=seed,
        verbose=-1,
    )
    return lambda: model.fit(x, y), lambda: answers(model, unseen, classes)


def xgboost(train, test, classes, seed):
    import xgboost

    x, y, unseen = parts(train, test)
    words = {"n_jobs": 1, "random_state": seed, "enable_categorical": True}
    model = estimator(xgboost.XGBClassifier, xgboost.XGBRegressor, classes, **words)
    return lambda: model.fit(x, y), lambda: answers(model, unseen, classes)


def catboost(train, test, classes, seed):
    import catboost

    x, y, unseen = parts(train, test)
    names = categories(x)
    text = [
        part.assign(
            **{name: part[name].astype(object).fillna("missing").astype(str) for name in names}
        )
        for part in (x, unseen)
    ]
    words = {"thread_count": 1, "random_seed": seed, "verbose": False, "cat_features": names}
    model = estimator(
        catboost.CatBoostClassifier,
        catboost.CatBoostRegressor,
        classes,
        allow_writing_files=False,
        **words,
    )
    return lambda: model.fit(text[0], y), lambda: answers(model, text[1], classes)


def scikit_learn(train, test, classes, seed):
    from sklearn import ensemble

    x, y, unseen = parts(train, test)
    x, unseen = numbered(coded(x, MOST_LEVELS)), numbered(coded(unseen, MOST_LEVELS))
    model = estimator(
        ensemble.HistGradientBoostingClassifier,
        ensemble.HistGradientBoostingRegressor,
        classes,
        random_state=seed,
    )
    return lambda: model.fit(x, y), lambda: answers(model, unseen, classes)


def scikit_learn_forest(train, test, classes, seed):
    from sklearn import ensemble

    x, y, unseen = parts(train, test)
    x, unseen = coded(x), coded(unseen)
    words = {"n_jobs": 1, "random_state": seed}
    model = estimator(
        ensemble.RandomForestClassifier, ensemble.RandomForestRegressor, classes, **words
    )
    return lambda: model.fit(x, y), lambda: answers(model, unseen, classes)


def of_ydf(learner, train, test, classes, seed):
    import ydf

    ydf.verbose(0)
    names = categories(train)

    def readable(part):
        words = {name: part[name].astype(object).fillna("").astype(str) for name in names}
        return part.assign(**words)

    train, unseen = readable(train), readable(test.drop(columns="y"))
    task = ydf.Task.CLASSIFICATION if classes else ydf.Task.REGRESSION
    fitted = []

    def fit():
        made = getattr(ydf, learner)("y", task=task, num_threads=1, random_seed=seed + 1)
        fitted.append(made.train(train))

    def predict():
        said = fitted[0].predict(unseen, num_threads=1)
        if not classes:
            return said
        if classes == 2:
            said = np.column_stack([1 - said, said])
        ordered = np.zeros((len(said), classes))
        ordered[:, [int(name) for name in fitted[0].label_classes()]] = said
        return ordered / ordered.sum(axis=1, keepdims=True)

    return fit, predict


def ydf(*given):
    return of_ydf("GradientBoostedTreesLearner", *given)


def ydf_forest(*given):
    return of_ydf("RandomForestLearner", *given)


def of_weald(classifier, regressor, words):
    def side(train, test, classes, seed):
        import weald

        x, y, unseen = parts(train, test)
        kind = getattr(weald, classifier if classes else regressor)
        model = kind(n_jobs=1, random_state=seed, **words)
        return lambda: model.fit(x, y), lambda: answers(model, unseen, classes)

    return side


def weald(words):
    return of_weald("GradientBoostingClassifier", "GradientBoostingRegressor", words)


def weald_forest(words):
    return of_weald("RandomForestClassifier", "RandomForestRegressor", words)


PEERS = {
    "constant": constant,
    "lightgbm": lightgbm,
    "xgboost": xgboost,
    "catboost": catboost,
    "scikit-learn": scikit_learn,
    "ydf": ydf,
    "scikit-learn-forest": scikit_learn_forest,
    "ydf-forest": ydf_forest,
}
OURS = {"weald": weald, "weald-forest": weald_forest}
FORESTS = ("weald-forest", "scikit-learn-forest", "ydf-forest")


def of(name, words):
    """The side of this name; `words` are weald's parameters that are not left to their defaults."""
    return OURS[name](words) if name in OURS else PEERS[name]

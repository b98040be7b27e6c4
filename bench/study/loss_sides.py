"""The libraries of the study of losses: each told the loss, and otherwise left to its defaults.

A side is given the loss's name, training and test rows and a seed, and returns how to fit and how
to predict: numbers, of which only the order counts for times to an event and for ranking. `None`
where a library does not have the loss. All are given the same distance of Huber's loss.
"""

import numpy as np

import sides

HUBER_SHARE = 0.25


def number(loss):
    return float(loss.split(":")[1])


def huber_distance(train):
    """A quarter of the standard deviation of the target: some errors are beyond it."""
    return HUBER_SHARE * float(train["y"].std())


def separated(train, test):
    drop = [name for name in ("y", "query") if name in train]
    return train.drop(columns=drop), train["y"].to_numpy(), test.drop(columns=drop)


def lightgbm(loss, train, test, seed):
    import lightgbm

    kind = loss.split(":")[0]
    x, y, unseen = separated(train, test)
    words = {"n_jobs": 1, "random_state": seed, "verbose": -1}
    if kind == "cox":
        return None
    if kind == "lambdarank":
        model = lightgbm.LGBMRanker(**words)
        sizes = train["query"].value_counts(sort=False).to_numpy()
        return lambda: model.fit(x, y, group=sizes), lambda: model.predict(unseen)
    words |= {"objective": {"absolute": "regression_l1"}.get(kind, kind)}
    if kind == "quantile":
        words |= {"alpha": number(loss)}
    elif kind == "huber":
        words |= {"alpha": huber_distance(train)}
    elif kind == "tweedie":
        words |= {"tweedie_variance_power": number(loss)}
    model = lightgbm.LGBMRegressor(**words)
    return lambda: model.fit(x, y), lambda: model.predict(unseen)


def xgboost(loss, train, test, seed):
    import xgboost

    kind = loss.split(":")[0]
    x, y, unseen = separated(train, test)
    words = {"n_jobs": 1, "random_state": seed, "enable_categorical": True}
    if kind == "lambdarank":
        model = xgboost.XGBRanker(**words)
        return lambda: model.fit(x, y, qid=train["query"]), lambda: model.predict(unseen)
    words |= {
        "quantile": lambda: {"objective": "reg:quantileerror", "quantile_alpha": number(loss)},
        "absolute": lambda: {"objective": "reg:absoluteerror"},
        "huber": lambda: {
            "objective": "reg:pseudohubererror",
            "huber_slope": huber_distance(train),
        },
        "poisson": lambda: {"objective": "count:poisson"},
        "gamma": lambda: {"objective": "reg:gamma"},
        "tweedie": lambda: {"objective": "reg:tweedie", "tweedie_variance_power": number(loss)},
        "cox": lambda: {"objective": "survival:cox"},
    }[kind]()
    model = xgboost.XGBRegressor(**words)
    margin = {"output_margin": True} if kind == "cox" else {}
    return lambda: model.fit(x, y), lambda: model.predict(unseen, **margin)


def catboost(loss, train, test, seed):
    import catboost

    kind = loss.split(":")[0]
    x, y, unseen = separated(train, test)
    names = sides.categories(x)

    def text(part):
        words = {n: part[n].astype(object).fillna("missing").astype(str) for n in names}
        return part.assign(**words)

    words = {"thread_count": 1, "random_seed": seed, "verbose": False, "cat_features": names}
    words |= {"allow_writing_files": False}
    x, unseen = text(x), text(unseen)
    if kind == "gamma":
        return None
    if kind == "lambdarank":
        model = catboost.CatBoostRanker(**words)
        fit = lambda: model.fit(x, y, group_id=train["query"].to_numpy())  # noqa: E731
        return fit, lambda: model.predict(unseen)
    words["loss_function"] = {
        "quantile": lambda: f"Quantile:alpha={number(loss)}",
        "absolute": lambda: "MAE",
        "huber": lambda: f"Huber:delta={huber_distance(train)}",
        "poisson": lambda: "Poisson",
        "tweedie": lambda: f"Tweedie:variance_power={number(loss)}",
        "cox": lambda: "Cox",
    }[kind]()
    model = catboost.CatBoost(words | {"cat_features": names})

    def predict():
        raw = model.predict(unseen, prediction_type="RawFormulaVal")
        return np.exp(raw) if kind in ("poisson", "tweedie") else raw

    return lambda: model.fit(x, y), predict


def of_weald(words):
    def weald(loss, train, test, seed):
        import weald

        kind = loss.split(":")[0]
        x, y, unseen = separated(train, test)
        given = {"loss": loss, "n_jobs": 1, "random_state": seed, **words}
        if kind == "lambdarank":
            model = weald.GradientBoostingRanker(**given)
            fit = lambda: model.fit(x, y, groups=train["query"].to_numpy())  # noqa: E731
            return fit, lambda: model.predict(unseen)
        if kind == "huber":
            given["loss"] = f"huber:{huber_distance(train)!r}"
        model = weald.GradientBoostingRegressor(**given)
        return lambda: model.fit(x, y), lambda: model.predict(unseen)

    return weald


def constant(loss, train, test, seed):
    """The best that can be said without features."""
    kind, y = loss.split(":")[0], train["y"].to_numpy()
    if kind == "quantile":
        best = np.quantile(y, number(loss))
    else:
        best = np.median(y) if kind in ("absolute", "huber") else y.mean()
    return lambda: None, lambda: np.full(len(test), best)


PEERS = {"constant": constant, "lightgbm": lightgbm, "xgboost": xgboost, "catboost": catboost}


def of(name, words):
    return of_weald(words) if name == "weald" else PEERS[name]

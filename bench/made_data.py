"""Numbers made for races: 28 columns, a few of which matter, with noise."""

import numpy as np
import pandas as pd


def made(rows, columns, task, seed=0):
    """A table with the target `y`; `task` is binary, classification (the same), five-class,
    regression, or anomalies: one row in a hundred, farther out."""
    draws = np.random.default_rng(seed)
    x = draws.standard_normal((rows, columns), dtype="float32")
    signal = x[:, 0] + x[:, 1] * x[:, 2] + 0.5 * np.abs(x[:, 3]) - 0.2 * x[:, 4]
    data = pd.DataFrame(x, columns=[f"x{i}" for i in range(columns)])
    if task == "anomalies":
        data["y"] = (np.arange(rows) % 100 == 0).astype("int64")
        data.loc[data["y"] == 1, [f"x{i}" for i in range(columns)]] *= 2.5
    elif task == "regression":
        data["y"] = signal + draws.normal(size=rows)
    elif task == "five-class":
        worth = [signal, x[:, 5] - x[:, 1], x[:, 6] * x[:, 7], np.abs(x[:, 8]) - 0.5, -signal]
        data["y"] = (np.stack(worth, axis=1) + draws.gumbel(size=(rows, 5))).argmax(axis=1)
    else:
        data["y"] = (signal + draws.normal(size=rows) > 0.4).astype("int64")
    return data


def of_loss(kind, rows, columns, seed):
    """A table whose target has a known law around the same kind of signal: `counts` and `rare
    counts` (Poisson), `amounts` (gamma), `claims` (Poisson sums of gammas, mostly 0), `times` to an
    event (a hazard in proportion, a third of them not seen: those are negative), or `ranks`: grades
    from 0 to 4 of the rows of queries."""
    draws = np.random.default_rng(seed)
    x = draws.standard_normal((rows, columns), dtype="float32")
    signal = 0.6 * x[:, 0] + 0.4 * x[:, 1] * x[:, 2] + 0.3 * np.abs(x[:, 3]) - 0.2 * x[:, 4]
    signal = signal.astype("float64")
    data = pd.DataFrame(x, columns=[f"x{i}" for i in range(columns)])
    if kind in ("counts", "rare counts"):
        data["y"] = draws.poisson(np.exp(signal + (1.0 if kind == "counts" else -2.0))) * 1.0
    elif kind == "amounts":
        data["y"] = draws.gamma(2.0, np.exp(signal) / 2.0)
    elif kind == "claims":
        number = draws.poisson(np.exp(0.7 * signal - 1.2))
        data["y"] = draws.gamma(2.0 * np.maximum(number, 1), 50 * np.exp(0.3 * signal))
        data.loc[number == 0, "y"] = 0.0
    elif kind == "times":
        event = draws.exponential(np.exp(-signal))
        end = draws.exponential(2.0 * np.exp(-signal.mean()), size=rows)
        data["y"] = np.where(event <= end, event, -end)
    elif kind == "ranks":
        data["query"] = np.sort(draws.integers(rows // 25, size=rows))
        worth = signal + 0.5 * draws.standard_normal(rows)
        data["y"] = np.digitize(worth, np.quantile(worth, [0.5, 0.75, 0.9, 0.97])) * 1.0
    return data

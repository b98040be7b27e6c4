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

"""Made tables, whose truth is known: what a default must be able to learn.

Each has a few columns that decide the target, by themselves or only together (exclusive or,
products, parities, steps within steps), and others that are noise. Columns are uniform on [-1, 1]
and levels are equally likely. No library's defaults were chosen on these tables but weald's.
"""

import numpy as np
import pandas as pd

MADE = {}


def made(task, rows=6000, sizes=(0,)):
    """Registers a table, once for each number of columns of noise that are added."""

    def register(function):
        for noise in sizes:
            name = f"{function.__name__}_noise{noise}" if noise else function.__name__
            MADE[name] = (task, rows, noise, function)
        return function

    return register


def uniform(rng, rows, columns):
    return rng.uniform(-1, 1, (rows, columns))


def odd(x):
    """Whether an odd number of columns is positive."""
    return (x > 0).sum(axis=1) % 2


@made("binary", sizes=(0, 3, 8, 18, 48))
def xor(rng, rows):
    x = uniform(rng, rows, 2)
    return x, odd(x)


@made("binary", rows=600, sizes=(0, 8))
def xor_few_rows(rng, rows):
    return xor(rng, rows)


@made("binary", rows=40_000, sizes=(0, 8))
def xor_many_rows(rng, rows):
    return xor(rng, rows)


@made("binary", sizes=(0, 8))
def xor_flipped(rng, rows):
    x = uniform(rng, rows, 2)
    return x, odd(x) ^ (rng.random(rows) < 0.1)


@made("binary", sizes=(0, 2, 7))
def parity_of_3(rng, rows):
    x = uniform(rng, rows, 3)
    return x, odd(x)


@made("binary", sizes=(0, 4))
def parity_of_4(rng, rows):
    x = uniform(rng, rows, 4)
    return x, odd(x)


@made("binary")
def chessboard(rng, rows):
    x = uniform(rng, rows, 2)
    return x, np.floor(2 * x).astype(int).sum(axis=1) % 2


@made("binary", sizes=(0, 1, 8))
def threshold(rng, rows):
    x = uniform(rng, rows, 1)
    return x, x[:, 0] > 0.2


@made("binary", sizes=(0, 6))
def all_of_4(rng, rows):
    x = uniform(rng, rows, 4)
    return x, (x > -0.6).all(axis=1)


@made("binary", sizes=(0, 8))
def circle(rng, rows):
    x = uniform(rng, rows, 2)
    return x, (x**2).sum(axis=1) < 0.6


@made("multiclass", sizes=(0, 8))
def quadrants(rng, rows):
    x = uniform(rng, rows, 2)
    return x, (x[:, 0] > 0) + 2 * (x[:, 1] > 0)


@made("multiclass", sizes=(0, 6))
def remainders(rng, rows):
    x = uniform(rng, rows, 2)
    return x, np.floor(1.5 * (x + 1)).astype(int).sum(axis=1) % 3


@made("binary", sizes=(2, 10))
def noise_of_classes(rng, rows):
    return np.empty((rows, 0)), rng.integers(0, 2, rows)


@made("regression", sizes=(2, 10))
def noise_of_numbers(rng, rows):
    return np.empty((rows, 0)), rng.normal(size=rows)


@made("regression", sizes=(0, 3, 8, 18, 48))
def product(rng, rows):
    x = uniform(rng, rows, 2)
    return x, 10 * x.prod(axis=1) + rng.normal(size=rows)


@made("regression", rows=600, sizes=(0, 8))
def product_few_rows(rng, rows):
    return product(rng, rows)


@made("regression", sizes=(0, 7))
def product_of_3(rng, rows):
    x = uniform(rng, rows, 3)
    return x, 10 * x.prod(axis=1) + 0.5 * rng.normal(size=rows)


@made("regression", sizes=(0, 8))
def additive(rng, rows):
    x = uniform(rng, rows, 2)
    return x, np.sin(3 * x[:, 0]) + x[:, 1] ** 2 + 0.3 * rng.normal(size=rows)


@made("regression", sizes=(0, 10))
def additive_of_10(rng, rows):
    x = uniform(rng, rows, 10)
    return x, np.sin(3 * x).sum(axis=1) + rng.normal(size=rows)


@made("regression", sizes=(0, 5, 45))
def friedman(rng, rows):
    x = rng.random((rows, 5))
    smooth = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2
    return x, smooth + 10 * x[:, 3] + 5 * x[:, 4] + rng.normal(size=rows)


@made("regression", sizes=(0, 8))
def slopes_by_level(rng, rows):
    x, level = uniform(rng, rows, 1), rng.integers(0, 6, rows)
    y = np.linspace(-3, 3, 6)[level] * x[:, 0] + 0.3 * rng.normal(size=rows)
    return [*x.T, levels(level)], y


@made("binary", sizes=(0, 8))
def sign_by_level(rng, rows):
    x, level = uniform(rng, rows, 1), rng.integers(0, 8, rows)
    return [*x.T, levels(level)], (x[:, 0] > 0) ^ (level % 2 == 1)


@made("binary", sizes=(0, 8))
def xor_of_levels(rng, rows):
    one, other = rng.integers(0, 6, (2, rows))
    return [levels(one), levels(other)], (one + other) % 2


@made("regression", sizes=(0, 8))
def additive_levels(rng, rows):
    x, level = uniform(rng, rows, 1), rng.integers(0, 30, rows)
    means = rng.normal(size=30)
    return [*x.T, levels(level)], means[level] + x[:, 0] + 0.3 * rng.normal(size=rows)


def levels(codes):
    return pd.Categorical([f"level {code}" for code in codes])


def entries():
    found = {}
    for name, (task, rows, noise, _) in MADE.items():
        columns = read({"name": name}).drop(columns="y")
        found[name] = {"name": name, "task": task, "rows": rows, "features": columns.shape[1]}
        found[name]["noise"] = noise
    return found


def read(entry):
    name = entry["name"]
    _, rows, noise, function = MADE[name]
    rng = np.random.default_rng([7, *name.encode()])
    x, y = function(rng, rows)
    columns = [*(x.T if isinstance(x, np.ndarray) else x), *uniform(rng, rows, noise).T]
    # The columns that matter are not always the first.
    order = rng.permutation(len(columns))
    frame = {f"x{i}": columns[at] for i, at in enumerate(order)}
    return pd.DataFrame(
        frame | {"y": np.asarray(y).astype("float64" if task_of(name) else "int64")}
    )


def task_of(name):
    """Whether the target is numbers."""
    return MADE[name][0] == "regression"

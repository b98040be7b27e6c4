"""What gradient boosting is raced on, by name."""

from jobs import Job

FITTING = ("lightgbm", "lightgbm-quantized", "xgboost", "catboost", "scikit-learn", "ydf")
PREDICTING = (*FITTING, "onnxruntime", "lleaves")
MILLION = 1_000_000
JOBS = {
    "dense": Job("binary", MILLION, 200_000, peers=FITTING),
    "regression": Job("regression", MILLION, 200_000, peers=FITTING),
    "small": Job("binary", 10_000, 200_000, peers=FITTING),
    "classes": Job("five-class", 300_000, 100_000, peers=FITTING),
    "census": Job(public="census_income_kdd", peers=FITTING),
    "connect4": Job(public="connect4", peers=FITTING),
    "adult": Job(public="adult", peers=FITTING),
    "flights": Job(public="nycflights13", peers=FITTING),
    "predict": Job("binary", 200_000, MILLION, peers=PREDICTING),
}
for name, rows in [("10k", 10_000), ("100k", 100_000), ("1M", MILLION), ("10M", 10 * MILLION)]:
    JOBS[f"growth-{name}"] = Job("binary", rows, 100_000, peers=("lightgbm", "xgboost"))

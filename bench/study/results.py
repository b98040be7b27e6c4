"""What was found, kept in files: a side's loss and time for every set and split.

Those of libraries at their defaults are part of the repository (`bench/record/study`), because they
take hours; those of trials, which have a label, are not (`bench/cache/study`).
"""

import json
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
RECORD = BENCH / "record/study"
TRIALS = BENCH / "cache/study"


class Results:
    def __init__(self, side, label=None):
        self.name = f"{side}:{label}" if label else side
        self.file = (TRIALS if label else RECORD) / f"{self.name}.json"
        self.version, self.found = "", {}
        if self.file.exists():
            kept = json.loads(self.file.read_text())
            self.version, self.found = kept["version"], kept["found"]

    def get(self, data_set, split):
        return self.found.get(data_set, {}).get(str(split))

    def put(self, data_set, split, found):
        self.found.setdefault(data_set, {})[str(split)] = found
        self.file.parent.mkdir(parents=True, exist_ok=True)
        ordered = {name: dict(sorted(self.found[name].items())) for name in sorted(self.found)}
        lines = [f"  {json.dumps(name)}: {json.dumps(ordered[name])}" for name in ordered]
        text = (
            f'{{"version": {json.dumps(self.version)}, "found": {{\n' + ",\n".join(lines) + "\n}}\n"
        )
        self.file.write_text(text)


def trials():
    """Labelled results, by name."""
    names = sorted(file.stem for file in TRIALS.glob("*:*.json"))
    return {name: Results(*name.split(":", 1)) for name in names}

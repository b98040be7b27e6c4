"""What was found, kept in files: a side's loss and time for every set and split.

Those of libraries at their defaults are part of the repository (`bench/record/study`, and
`bench/record/study_aside` for the sets kept aside), because they take hours; those of trials, which
have a label, are not (`bench/cache`). A fit that was given up is kept as the seconds it was given.
"""

import json
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
FOLDERS = {
    "public": "study",
    "aside": "study_aside",
    "made": "study_made",
    "losses": "study_losses",
}


class Results:
    def __init__(self, collection, side, label=None):
        self.name = f"{side}:{label}" if label else side
        folder = BENCH / ("cache" if label else "record") / FOLDERS[collection]
        self.file = folder / f"{self.name}.json"
        self.version, self.found = "", {}
        if self.file.exists():
            kept = json.loads(self.file.read_text())
            self.version, self.found = kept["version"], kept["found"]

    def tried(self, data_set, split):
        return self.found.get(data_set, {}).get(str(split))

    def get(self, data_set, split):
        """What was found; nothing if the fit was given up."""
        found = self.tried(data_set, split)
        return found if found and "loss" in found else None

    def given_up(self, data_set):
        """The seconds after which fits to this set were given up, if any was."""
        limits = [found.get("given_up", 0) for found in self.found.get(data_set, {}).values()]
        return max(limits, default=0)

    def put(self, data_set, split, found):
        self.found.setdefault(data_set, {})[str(split)] = found
        self.file.parent.mkdir(parents=True, exist_ok=True)
        ordered = {name: dict(sorted(self.found[name].items())) for name in sorted(self.found)}
        lines = [f"  {json.dumps(name)}: {json.dumps(ordered[name])}" for name in ordered]
        text = (
            f'{{"version": {json.dumps(self.version)}, "found": {{\n' + ",\n".join(lines) + "\n}}\n"
        )
        self.file.write_text(text)


def trials(collection):
    """Labelled results, by name."""
    files = (BENCH / "cache" / FOLDERS[collection]).glob("*:*.json")
    names = sorted(file.stem for file in files)
    return {name: Results(collection, *name.split(":", 1)) for name in names}

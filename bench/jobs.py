"""What a method is raced on: made numbers or a public set."""

from dataclasses import dataclass, field

import public_data
from made_data import made


@dataclass(frozen=True)
class Job:
    """`task` of made numbers, or the name of a public set; who races unless told otherwise; and
    what is set for this job alone."""

    task: str = ""
    train: int = 0
    test: int = 0
    columns: int = 28
    public: str = ""
    peers: tuple = ()
    settings: dict = field(default_factory=dict)

    def parts(self, scale):
        """Training and test rows; `scale` takes that share of them."""
        if self.public:
            entry = public_data.entries()[self.public]
            parts = public_data.parts(entry, public_data.read(entry))
            return [part.iloc[: max(round(len(part) * scale), 500)] for part in parts]
        sizes = [max(round(rows * scale), 500) for rows in (self.train, self.test)]
        return [made(sizes[i], self.columns, self.task, seed=i) for i in (0, 1)]


def chosen(jobs, words):
    """Jobs by name; what stands before a hyphen means all such, `all` every job."""
    names = []
    for word in words:
        found = [name for name in jobs if word in ("all", name, name.split("-")[0])]
        if not found:
            raise SystemExit(f"no job {word}: there are {', '.join(jobs)} and all")
        names += found
    return list(dict.fromkeys(names))

"""The README's examples run, one after the other, as a reader would type them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def blocks() -> list[tuple[int, str]]:
    """The examples with the lines that they begin at."""
    text = README.read_text()
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: block.start(1)].count("\n"), block[1]) for block in found]


def test_every_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    examples = blocks()
    assert len(examples) == README.read_text().count("```python") > 0
    for line, source in examples:
        exec(compile("\n" * line + source, str(README), "exec"), names)
    assert {path.name for path in tmp_path.iterdir()} == {"buyers.weald", "oob.html"}
    told = capsys.readouterr().out
    accuracy = re.search(r"accuracy (\d\.\d+)", told)
    assert accuracy is not None and float(accuracy[1]) > 0.8, told

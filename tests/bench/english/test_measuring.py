"""Tests of the small model's own answers and of what is measured, on a tiny model."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.full


def test_own_answers_go_on_behind_the_last_whole_batch(tiny_base: Path, tmp_path: Path) -> None:
    from bench.english.model.small import Small
    from bench.english.own_answers import AT_ONCE, sample

    small, file = Small(tiny_base), tmp_path / "own.jsonl"
    found = sample(small, AT_ONCE + 5, file, seed=3)
    assert len(found) > AT_ONCE + 5
    assert any(len(one.asked) == 3 for one in found)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[: AT_ONCE + 2]) + lines[AT_ONCE + 2][:9], "utf-8")
    assert sample(small, AT_ONCE + 5, file, seed=3) == found
    with pytest.raises(ValueError, match="another seed"):
        sample(small, AT_ONCE + 5, file, seed=4)


def test_everything_is_measured_and_an_answer_is_asked_for_once(
    tiny_base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from bench.english import measure as measuring
    from bench.english.cases import GROUPS
    from bench.english.model.small import Small

    small = Small(tiny_base, rank=4)
    document = measuring.measure(small, tmp_path, count=4, seed=0)
    assert "min left" in capsys.readouterr().out
    told = {row["what"] for row in document["rows"]}
    assert {*GROUPS, "canaries", "divergence from the base"} <= told
    assert len(document["goals"]) == len(GROUPS) + 3
    (far,) = (row for row in document["rows"] if row["what"] == "divergence from the base")
    assert abs(far["nats"]) < 1e-6  # an adapter that has learned nothing is the base

    again = measuring.measure(small, tmp_path, count=4, seed=0)
    assert again["rows"] == document["rows"]
    assert "min left" not in capsys.readouterr().out

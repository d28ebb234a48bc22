"""Tests of the report, which is made of the result files alone, and of the figures in README."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import BENCHES, TOGETHER, main
from bench.all.catalogue import CATALOGUE, Entry
from bench.all.command import PAGE, _parser, words_for
from bench.all.later import Later
from bench.all.page import MOST_ROWS, command, page
from bench.report import RESULTS
from lull.contract.json_object import Json
from tests.paths import ROOT

MADE_UP = {"alpha": "how fast it is", "beta": "never run"}


def document(**more: Any) -> Json:
    return {
        "bench": "alpha",
        "at": "2031-02-13T09:30:00+00:00",
        "commit": "abc1234",
        "machine": "a machine of 3 cores",
        "versions": {"numpy": "9.9"},
        "seeds": [4, 5],
        "simulated": True,
        "rows": [{"who": "we | they", "took_ms": 12.3456, "n": 20_000, "by_day": {"a": 1}}],
        "goals": [
            {"goal": "soon", "value": 12.3456, "limit": 20.0, "holds": True},
            {"goal": "often", "value": 3.0, "limit": 7.0, "holds": False, "why_not": "It rained."},
            {"goal": "exact", "value": 0.0, "limit": 0.0, "holds": True},
            {"goal": "sure", "value": 0.1, "limit": 0.0, "holds": True, "measured": "n = 8 | 9"},
        ],
        **more,
    }


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "bench" / "results"
    folder.mkdir(parents=True)
    (folder / "alpha.json").write_text(json.dumps(document()))
    (folder / "alpha.png").write_bytes(b"")
    return folder


def made(results: Path) -> str:
    return page(MADE_UP, results, results.parents[1] / "docs" / "page.md")


def test_each_figure_stands_with_its_limit_and_whether_it_holds(results: Path) -> None:
    text = made(results)
    assert "| soon | 12.35 | ≤ 20 | holds |" in text
    assert "| often | 3 | ≥ 7 | **missed**: It rained. |" in text
    assert "| exact | 0 | 0 | holds |" in text
    assert "| sure | 0.1 (n = 8 \\| 9) | ≥ 0 | holds |" in text
    assert "| we \\| they | 12.35 | 20,000 |" in text


def test_a_file_that_is_older_than_its_bench_says_so_and_misses_what_it_lacks(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = Entry(
        measures="how fast it is",
        order=lambda one: one.get("goal") == "soon",
        later=(
            Later(goal="sooner", limit=2.0, instead_of="exact", known=lambda _: "but it | rained"),
            Later(goal="often", limit=9.0, at_most=False),
            Later(goal="oftener", limit=9.0, at_most=False),
        ),
        since=lambda _: "It has no bounds.",
    )
    monkeypatch.setattr("bench.all.page.CATALOGUE", {"alpha": entry})
    text = made(results)
    older = "**Older than the bench: these figures are of commit abc1234, 2031-02-13.**"
    assert f"{older} It has no bounds." in text
    assert "| exact | 0 | 0 | no longer asked: replaced below |" in text
    assert "| sooner |  | ≤ 2 | **missed**: not in the file, but it \\| rained |" in text
    assert "| oftener |  | ≥ 9 | **missed**: not in the file |" in text
    assert "| often | 3 | ≥ 7 | **missed**: It rained. |" in text  # as it was asked then
    assert "| [alpha](#alpha) | 2 | 3 |" in text
    assert text.index("| oftener |") < text.index("| soon |")
    monkeypatch.setattr("bench.all.page.CATALOGUE", {})
    assert "Older than the bench" not in made(results)


def test_each_bench_names_what_made_it(results: Path) -> None:
    text = made(results)
    for what in (
        "*Simulated.*",
        "how fast it is",
        "`python -m bench alpha` → [alpha.json](../bench/results/alpha.json)",
        "2031-02-13T09:30:00+00:00",
        "commit abc1234",
        "a machine of 3 cores",
        "numpy 9.9",
        "seeds 4, 5",
        "![alpha](../bench/results/alpha.png)",
        "| [alpha](#alpha) | 3 | 1 | `python -m bench alpha` |",
        "## What this does not show",
    ):
        assert what in text
    assert "| [beta](#beta) | not run yet |" in text
    assert "Not run yet: `python -m bench beta`" in text


def test_what_is_real_is_not_called_simulated_and_long_tables_say_what_they_leave_out(
    results: Path,
) -> None:
    rows = [{"n": n} for n in range(MOST_ROWS + 5)]
    (results / "alpha.json").write_text(json.dumps(document(simulated=False, rows=rows)))
    text = made(results)
    assert "*Simulated.*" not in text
    assert f"{MOST_ROWS} of {MOST_ROWS + 5} rows" in text


def test_checks_that_nobody_can_pass_are_listed(results: Path) -> None:
    infeasible = [{"day": "day22", "round": "r1", "why": "its log was never shipped"}]
    (results / "alpha.json").write_text(json.dumps(document(infeasible=infeasible)))
    assert "- day22 r1: its log was never shipped" in made(results)


def test_report_writes_the_page_beside_results_of_another_place(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--out", str(results)]) == 0
    text = (results / "benchmarks.md").read_text()
    assert str(results / "benchmarks.md") in capsys.readouterr().out
    for name in BENCHES:
        assert f"[{name}](#{name})" in text
        assert f"\n## {name}\n" in text


def test_a_look_is_called_one(results: Path) -> None:
    (results / "alpha.json").write_text(json.dumps(document(look="A look, not a result.")))
    assert "**A look, not a result.**" in made(results)


def test_all_runs_each_bench_with_what_it_takes(tmp_path: Path) -> None:
    options = _parser("all", "").parse_args(
        ["--quick", "--seed", "7", "--data", "d", "--out", str(tmp_path)]
    )
    words = {name: words_for(name, options) for name in BENCHES}
    assert words["gates"] == ["gates", "--out", str(tmp_path), "--quick", "--seed", "7"]
    assert words["metaclaw_bench"][-2:] == ["--data", "d"]
    assert "--quick" not in words_for("gates", _parser("all", "").parse_args([]))


@pytest.mark.slow
def test_all_tells_of_a_bench_that_fails_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = ["all", "--only", "metaclaw_bench", "--data", str(tmp_path / "gone")]
    assert main([*gone, "--out", str(tmp_path)]) == 1
    assert "metaclaw_bench could not measure" in capsys.readouterr().err
    assert "Not run yet" in (tmp_path / "benchmarks.md").read_text()


# -- what is published ---------------------------------------------------------------------------


def test_every_bench_says_what_it_measures() -> None:
    assert set(CATALOGUE) == set(BENCHES)
    assert not set(TOGETHER) & set(BENCHES)


def test_the_page_is_what_the_files_say() -> None:
    """If this fails, run `python -m bench report`."""
    assert PAGE.read_text("utf-8") == page(BENCHES, RESULTS, PAGE)


def test_every_link_of_the_page_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text("utf-8"))
    assert links
    for link in links:
        assert (PAGE.parent / link).exists(), link


def rows_of_readme() -> list[tuple[str, str, str]]:
    """Return (what, by, result) of each row of the table of what is measured."""
    text = (ROOT / "README.md").read_text("utf-8")
    _, _, table = text.partition("| measured | by | result |\n")
    lines = [line for line in table.split("\n\n")[0].splitlines()[1:] if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]  # type: ignore[misc]


def test_readme_names_a_command_and_a_file_for_everything_measured() -> None:
    rows = rows_of_readme()
    named = []
    for what, by, result in rows:
        found = re.fullmatch(r"`\.venv/bin/python -m bench (\w+)[^`]*`", by)
        assert found, what
        named.append(found[1])
        file = RESULTS / f"{found[1]}.json"
        if file.exists():
            assert f"(bench/results/{file.name})" in result, what
        for link in re.findall(r"\(([^)]+)\)", result):
            assert (ROOT / link).exists(), what
        assert found[0].strip("`") == f".venv/bin/{command(found[1])}", (
            "README and the page name one command"
        )
    assert sorted(named) == sorted(BENCHES)


def test_a_figure_in_readme_stands_in_the_file_that_its_row_names() -> None:
    """Every number in the table of what is measured stands in the result file of its row."""
    for what, by, result in rows_of_readme():
        numbers = re.findall(r"(?<![\w./])\d+(?:\.\d+)?(?![\w./])", re.sub(r"\(.*?\)", "", result))
        if not numbers:
            continue
        name = by.split()[3].strip("`")
        values = {
            f"{goal['value']:.{places}f}"
            for goal in json.loads((RESULTS / f"{name}.json").read_text())["goals"]
            for places in range(4)
        }
        assert set(numbers) <= values, what

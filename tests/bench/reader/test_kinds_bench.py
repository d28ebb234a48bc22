"""Tests of the kinds bench: its sentences are in order, its exam takes the product's own path."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

from bench.kinds import command
from bench.kinds.train import DEV, HERE
from lull.backends.reader.request_kinds import RequestKinds
from lull.resources import request_kinds_dir


def lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def test_each_kind_has_requests_by_many_people() -> None:
    requests = lines("requests.jsonl")
    count = Counter(line["kind"] for line in requests)
    assert len(requests) >= 1600
    assert len(count) >= 60
    assert min(count.values()) >= 25
    assert count["small talk"] >= 100
    people = defaultdict(set)
    for line in requests:
        people[line["kind"]].add(line["person"])
    assert min(len(who) for who in people.values()) >= 20
    assert set(DEV) <= {line["person"] for line in requests}


def test_words_rules_and_model_speak_of_the_same_kinds() -> None:
    kinds = {line["kind"] for line in lines("requests.jsonl")}
    assert {line["kind"] for line in lines("words.jsonl")} == kinds
    assert {line["kind"] for line in lines("rules.jsonl")} <= kinds
    assert set(RequestKinds(request_kinds_dir()).names) == kinds


def test_the_exam_counts_rules_that_came_and_rules_that_came_where_they_should_not(
    tmp_path: Path,
) -> None:
    case = {
        "asked": "Draft an email to my landlord about the heating",
        "answer": "- one\n- two",
        "said": "no bullet points in emails",
        "scope": "kind",
        "later": ["I need to write to the insurance, they haven't answered since May"],
        "elsewhere": ["Sort this list of dicts by age in Python"],
    }
    every = {
        **case,
        "said": "be brief",
        "scope": "all",
        "later": ["What is entropy?"],
        "elsewhere": [],
    }
    cases = tmp_path / "cases.jsonl"
    cases.write_text("\n".join(map(json.dumps, (case, every))))
    assert command.main(["--cases", str(cases), "--out", str(tmp_path), "--strict"]) == 0
    document = json.loads((tmp_path / "kinds.json").read_text("utf-8"))
    assert [row["later_n"] for row in document["rows"]] == [2, 1, 1] * 3
    assert all(row["recall"] == 1.0 for row in document["rows"])
    assert all(goal["holds"] for goal in document["goals"])

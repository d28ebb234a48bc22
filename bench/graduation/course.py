"""One rule from the correction in words to the weights, as a person's Lull goes that way.

An answer is corrected, the proposal proved and approved, everyday requests are served, and
training is asked for. Nothing is done past the product: its trainer, its engine and its gate. What
is measured afterwards is asked over the proxy, as any client would.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from bench.graduation.house import House, serving
from bench.graduation.rules import Asked, TaughtRule, requests
from bench.json_object import Json
from lull.contract import routes
from lull.core.training.record import RunStatus

OWN: Final = 60
"""Everyday requests of the rule's kind, served before the night."""
OTHERS: Final = 20
"""Everyday requests of other kinds."""
PROBES: Final = 40
"""Requests of the rule's kind that are asked after the verdict, and as many of other kinds."""
AT_ONCE: Final = 6
LOOK_S: Final = 0.2
PATIENCE_S: Final = 3600.0
DECIDED: Final = frozenset((RunStatus.PROMOTED, RunStatus.REJECTED, RunStatus.FAILED))
SETTINGS: Final = """\
[learning]
quiet_s = 0
[guard]
leave_out_share = 0
[training]
trial_share = 0
groups = false
single_answers = false
"""
"""What waits for hours in the product would wait for ever here; nothing else is another's."""


class NoSkill(Exception):
    """The rule did not come to be a proved skill, so there is nothing to train in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """Answers to the probes in one state of the service."""

    own: tuple[str, ...]
    others: tuple[str, ...]
    tokens: float
    """Mean tokens of a prompt of the rule's kind."""


def graduate(rule: TaughtRule, home: Path, *, tries: int = 1) -> list[Json]:
    """Take one rule all the way; a row for each run, up to `tries` or the first that is promoted.

    Raises NoSkill.
    """
    began_s = time.monotonic()
    with serving(home, SETTINGS) as house:
        known = requests(rule, 1, "corrected", own=True)
        name = _taught(house, rule, known[0])
        own = requests(rule, OWN, "served", own=True, but=known)
        others = requests(rule, OTHERS, "served", own=False)
        _served(house, [*own, *others])
        taught_s = time.monotonic() - began_s
        runs = _trained(house, tries)
        rows = [_row(house, rule, run) for run in runs]
        rows[-1]["taught_s"] = round(taught_s, 1)
        rows[-1]["seconds"] = round(time.monotonic() - began_s, 1)
        if rows[-1]["promoted"]:
            rows[-1] |= _measured(house, rule, name, but=[*known, *own, *others])
        return rows


def _taught(house: House, rule: TaughtRule, asked: Asked) -> str:
    """Correct an answer in words; prove and approve what is proposed. Returns the skill's name."""
    house.asks(asked.text, f"no, {rule.said}")
    control, until_s = house.control, time.monotonic() + PATIENCE_S
    while not (found := control.get(routes.PROPOSALS)["proposals"]):
        if time.monotonic() > until_s:
            raise NoSkill("nothing was proposed")
        time.sleep(LOOK_S)
    control.post(routes.PROPOSALS_PROVE, {"wait": True}, patience_s=PATIENCE_S)
    (proposal,) = control.get(routes.PROPOSALS)["proposals"] or found
    if proposal["status"] != "proved":
        raise NoSkill(f"the proposal is {proposal['status']}: {proposal['reason']}")
    path = routes.PROPOSAL_DO.format(id=quote(proposal["id"], safe=""), action="approve")
    control.post(path, {"sha256": proposal["sha256"]})
    return str(proposal["name"])


def _served(house: House, asked: Sequence[Asked]) -> list[tuple[str, int]]:
    """Ask each in a conversation of its own, a few at a time."""
    with ThreadPoolExecutor(AT_ONCE) as clients:
        return list(clients.map(lambda one: house.asks(one.text), asked))


def _trained(house: House, tries: int) -> list[Json]:
    """Train until a run is promoted or `tries` have their verdict; oldest first."""
    control = house.control
    with ThreadPoolExecutor(1) as aside:
        waiting = aside.submit(
            control.post, routes.TRAIN_NOW, {"wait": True}, patience_s=PATIENCE_S
        )
        while not waiting.done() and len(_decided(house)) < tries:
            time.sleep(LOOK_S)
        control.post(routes.SETTINGS, {"key": "training.enabled", "value": "false"})
        waiting.result()
    found = _decided(house)
    if not found:
        raise NoSkill(f"no run came to a verdict: {control.get(routes.TRAIN)['text']}")
    return found


def _decided(house: House) -> list[Json]:
    runs = house.control.get(routes.TRAIN)["runs"]
    return [run for run in reversed(runs) if run["status"] in DECIDED]


# What came of it


def _row(house: House, rule: TaughtRule, run: Json) -> Json:
    promoted = run["status"] == RunStatus.PROMOTED
    row: Json = {"rule": rule.said, "parts": len(rule.style.parts()), "promoted": promoted}
    row |= {"gain_kept": None, "skill_tokens": None, "others_as_before": None}
    row |= {"kept": None, "canaries_lost": None, "canaries": {}}
    if run["adapter"]:
        checks = _checks(house, run["adapter"])
        row["kept"] = next((c["value"] for c in checks if c["name"] == "kept"), None)
        row["kl"] = next((c["value"] for c in checks if c["name"] == "kl:canaries"), None)
        row["canaries"] = _canaries(house, run["adapter"], checks)
        row["canaries_lost"] = sum(one["lost"] for one in row["canaries"].values())
    row |= {"steps": run["of"], "training_s": run["took_s"]}
    return row if promoted else row | {"why": run["why"]}


def _checks(house: House, adapter: str) -> list[Json]:
    shown = house.control.get(routes.ADAPTER.format(id=quote(adapter, safe="")))
    verdict = shown.get("verdict") or shown["adapters"][0]["verdict"]
    return list(verdict["checks"]) if verdict else []


def _canaries(house: House, adapter: str, checks: Sequence[Json]) -> Json:
    """By family: canaries lost and won against the weights before, greedily, and the verdict."""
    found: dict[str, Json] = {}
    for check in checks:
        family = check["name"].removeprefix("canaries:")
        if family != check["name"]:
            found[family] = {"lost": 0, "won": 0, "of": 0, "not_worse": check["holds"]}
    for measure in _measures(house, adapter):
        one = found.get(measure["about"])
        if measure["kind"] == "probe" and one is not None:
            one["of"] += 1
            one["lost"] += measure["old"] > measure["new"]
            one["won"] += measure["new"] > measure["old"]
    return found


def _measures(house: House, adapter: str) -> list[Json]:
    address = f"file:{house.home / 'lull.db'}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        rows = connection.execute("SELECT measure FROM gate_measures WHERE adapter = ?", (adapter,))
        return [json.loads(row[0]) for row in rows]


def _measured(house: House, rule: TaughtRule, name: str, *, but: Sequence[Asked]) -> Json:
    """Ask requests that nothing was made of: by the new weights, by the old ones with the skill in
    the prompt, and by the old ones without it.
    """
    own = requests(rule, PROBES, "probes", own=True, but=but)
    others = requests(rule, PROBES, "probes", own=False, but=but)
    after = _probed(house, own, others)
    house.control.post(routes.ADAPTERS_ROLLBACK, {})
    skilled = _probed(house, own, others)
    house.control.post(routes.SKILLS_CHANGE, {"do": "disable", "name": name})
    base = _probed(house, own, others)
    right = [
        sum(said == one.ruled for said, one in zip(state.own, own, strict=True)) / PROBES
        for state in (after, skilled, base)
    ]
    gain = right[1] - right[2]
    same = sum(a == b for a, b in zip(after.others, base.others, strict=True))
    return {
        "gain_kept": round((right[0] - right[2]) / gain, 4) if gain > 0 else None,
        "right": {"weights": right[0], "prompt": right[1], "base": right[2]},
        "skill_tokens": round(after.tokens - base.tokens, 2),
        "skill_tokens_before": round(skilled.tokens - base.tokens, 2),
        "others_as_before": same / PROBES,
    }


def _probed(house: House, own: Sequence[Asked], others: Sequence[Asked]) -> Probed:
    said, rest = _served(house, own), _served(house, others)
    return Probed(
        own=tuple(text for text, _ in said),
        others=tuple(text for text, _ in rest),
        tokens=sum(tokens for _, tokens in said) / len(said),
    )

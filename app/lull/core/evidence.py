"""The evidence of a skill as a file beside it, and whether it holds.

`evidence.json` says on which model, by which rule and with which pairs a skill was decided on. All
that it claims can be worked out again from its pairs, and that is what re-checking does: counts,
e-values, and that the proof stopped exactly where its rule says. What it cannot tell is whether the
answers behind the hashes were really given. Reading and writing files is the store's business.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Final, TypeVar

from lull.core.proof import Decision, Pair, Part, ProofRule, ProofState, decide

FORMAT: Final = 1
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a proof rests on and what it came to."""

    skill: str
    skill_sha256: str
    """Of the exact bytes of its SKILL.md."""
    model: str
    """Digest of the base model that answered."""
    engine: str
    """What ran it: `ollama`, `mlx`."""
    adapter: str | None
    generation: int
    """Skill generation in which the pairs were replayed."""
    judge: str
    """The judge's version, "" where no judge was asked."""
    rule: ProofRule
    successes: int
    """How many past successes could be replayed when it was decided."""
    pairs: tuple[Pair, ...]
    """In the order in which they were replayed."""
    decision: Decision


def pair_to_json(pair: Pair) -> dict[str, object]:
    return {
        "request": pair.request,
        "part": pair.part.value,
        "seed": pair.seed,
        "without": pair.without,
        "with": pair.with_,
        "scored_by": pair.scored_by,
        "request_sha256": pair.request_sha256,
        "without_sha256": pair.without_sha256,
        "with_sha256": pair.with_sha256,
    }


def pair_from_json(value: object) -> Pair:
    """Raises ValueError, in words, for anything but a pair."""
    known = _object(value, "a pair")
    _only(known, {_json_name(field.name) for field in fields(Pair)}, "a pair")
    return Pair(
        request=_get(known, "request", str),
        part=Part(_get(known, "part", str)),
        seed=_get(known, "seed", int),
        without=_number(known, "without"),
        with_=_number(known, "with"),
        scored_by=_get(known, "scored_by", str),
        request_sha256=_get(known, "request_sha256", str),
        without_sha256=_get(known, "without_sha256", str),
        with_sha256=_get(known, "with_sha256", str),
    )


def evidence_to_json(evidence: Evidence) -> dict[str, object]:
    """The document of `evidence.json`."""
    plain = {field.name: getattr(evidence, field.name) for field in fields(Evidence)}
    return {
        "format": FORMAT,
        **plain,
        "rule": asdict(evidence.rule),
        "pairs": [pair_to_json(pair) for pair in evidence.pairs],
        "decision": {**asdict(evidence.decision), "state": evidence.decision.state.value},
    }


def evidence_from_json(value: object) -> Evidence:
    """Raises ValueError, in words, for anything but a whole document of this format."""
    known = _object(value, "the evidence")
    if known.get("format") != FORMAT:
        raise ValueError(f"its format is {known.get('format')!r}, and only {FORMAT} is known")
    _only(known, {"format", *(field.name for field in fields(Evidence))}, "the evidence")
    adapter = known.get("adapter")
    pairs = known.get("pairs")
    if not isinstance(pairs, list):
        raise ValueError("pairs is missing or no list")
    return Evidence(
        skill=_get(known, "skill", str),
        skill_sha256=_get(known, "skill_sha256", str),
        model=_get(known, "model", str),
        engine=_get(known, "engine", str),
        adapter=None if adapter is None else _get(known, "adapter", str),
        generation=_get(known, "generation", int),
        judge=_get(known, "judge", str),
        rule=_rule(known.get("rule")),
        successes=_get(known, "successes", int),
        pairs=tuple(pair_from_json(pair) for pair in pairs),
        decision=_decision(known.get("decision")),
    )


def evidence_text(evidence: Evidence) -> str:
    """The file's text: the same evidence, the same bytes."""
    return json.dumps(evidence_to_json(evidence), indent=2, ensure_ascii=False) + "\n"


def recheck(text: str, *, skill_sha256: str, rule: ProofRule | None = None) -> list[str]:
    """What of an `evidence.json` does not hold, in sentences; empty: all of it holds.

    `skill_sha256` is of the SKILL.md that lies beside it. With `rule`, a proof by a laxer one is
    named too.
    """
    try:
        evidence = evidence_from_json(
            json.loads(text, parse_constant=_refuse, object_pairs_hook=_once_each)
        )
    except RecursionError:
        return ["The evidence file cannot be read: it is nested too deep."]
    except ValueError as error:
        return [f"The evidence file cannot be read: {error}."]
    return [
        *_about_another_text(evidence, skill_sha256),
        *_twice(evidence.pairs),
        *_two_faced(evidence.pairs),
        *_claims(evidence),
        *_stopping(evidence),
        *(_laxer(evidence.rule, rule) if rule is not None else ()),
    ]


def _about_another_text(evidence: Evidence, skill_sha256: str) -> list[str]:
    if evidence.skill_sha256 == skill_sha256:
        return []
    return [
        f"It is about another text of the skill: sha256 {evidence.skill_sha256[:12] or 'missing'},"
        f" and this one has {skill_sha256[:12]}."
    ]


def _twice(pairs: tuple[Pair, ...]) -> list[str]:
    seen = Counter((pair.request, pair.seed) for pair in pairs)
    return [
        f"Request {request} with seed {seed} was counted {count} times."
        for (request, seed), count in seen.items()
        if count > 1
    ]


def _two_faced(pairs: tuple[Pair, ...]) -> list[str]:
    """One request is one text and stands in one part."""
    found = []
    by_request: dict[str, set[tuple[Part, str]]] = {}
    for pair in pairs:
        by_request.setdefault(pair.request, set()).add((pair.part, pair.request_sha256))
    for request, faces in by_request.items():
        if len({part for part, _ in faces}) > 1:
            found.append(f"Request {request} stands in two parts of the proof.")
        if len({sha256 for _, sha256 in faces}) > 1:
            found.append(f"Request {request} has two texts.")
    return found


def _claims(evidence: Evidence) -> list[str]:
    """The state, every number and the reason, worked out again from the pairs."""
    right = decide(evidence.pairs, evidence.rule, successes=evidence.successes)
    found = []
    for field in fields(Decision):
        claimed, true = getattr(evidence.decision, field.name), getattr(right, field.name)
        close = isinstance(true, float) and math.isclose(claimed, true, rel_tol=1e-9)
        if claimed != true and not close:
            found.append(f"It says {field.name} is {_said(claimed)}; its pairs say {_said(true)}.")
    return found


def _said(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _stopping(evidence: Evidence) -> list[str]:
    """A proof that went on after it was decided chose its own end."""
    # A success that was replayed was there, also where it could not be used to the end.
    there = {pair.request for pair in evidence.pairs if pair.part is Part.SUCCESS}
    successes = max(evidence.successes, len(there))
    for count in range(len(evidence.pairs)):
        early = decide(evidence.pairs[:count], evidence.rule, successes=successes)
        if early.state is not ProofState.UNDECIDED:
            extra = len(evidence.pairs) - count
            return [f"It was {early.state} after {count} pairs, and {extra} more were replayed."]
    last = decide(evidence.pairs, evidence.rule, successes=evidence.successes)
    if last.state is ProofState.UNDECIDED:
        return [f"It stopped too early: {last.pairs} pairs decide nothing yet."]
    return []


def _laxer(own: ProofRule, rule: ProofRule) -> list[str]:
    """Only what makes a proof easier is named; a stricter one holds."""
    easier = {
        "alpha": own.alpha > rule.alpha,
        "most_pairs": own.most_pairs > rule.most_pairs,
        "harm_e": own.harm_e > rule.harm_e,
        "success_pairs": own.success_pairs < rule.success_pairs,
        "least_success_pairs": own.least_success_pairs < rule.least_success_pairs,
        "suspect_e": own.suspect_e > rule.suspect_e,
    }
    return [
        f"It was proved with {name} {getattr(own, name):g}; the rule is {getattr(rule, name):g}."
        for name, is_easier in easier.items()
        if is_easier
    ]


# From JSON


def _rule(value: object) -> ProofRule:
    known = _object(value, "the rule")
    _only(known, {field.name for field in fields(ProofRule)}, "the rule")
    return ProofRule(
        alpha=_number(known, "alpha"),
        most_pairs=_get(known, "most_pairs", int),
        harm_e=_number(known, "harm_e"),
        success_pairs=_get(known, "success_pairs", int),
        least_success_pairs=_get(known, "least_success_pairs", int),
        suspect_e=_number(known, "suspect_e"),
    )


def _decision(value: object) -> Decision:
    known = _object(value, "the decision")
    _only(known, {field.name for field in fields(Decision)}, "the decision")
    return Decision(
        state=ProofState(_get(known, "state", str)),
        why=_get(known, "why", str),
        pairs=_get(known, "pairs", int),
        requests=_get(known, "requests", int),
        wins=_get(known, "wins", int),
        losses=_get(known, "losses", int),
        e_value=_number(known, "e_value"),
        harm_e_value=_number(known, "harm_e_value"),
        success_pairs=_get(known, "success_pairs", int),
        success_wins=_get(known, "success_wins", int),
        success_losses=_get(known, "success_losses", int),
    )


def _json_name(name: str) -> str:
    """`with` is a word of Python's own."""
    return name.rstrip("_")


def _object(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is missing or no object")
    return value


def _only(known: Mapping[str, object], names: set[str], what: str) -> None:
    if missing := sorted(names - known.keys()):
        raise ValueError(f"{what} has no {', '.join(missing)}")
    if unknown := sorted(known.keys() - names):
        raise ValueError(f"{what} has fields that are not known: {', '.join(unknown)[:200]}")


def _get(known: Mapping[str, object], name: str, kind: type[_T]) -> _T:
    value = known[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{name} is no {'text' if kind is str else 'whole number'}")
    return value


def _number(known: Mapping[str, object], name: str) -> float:
    value = known[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is no number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large") from None


def _once_each(members: list[tuple[str, object]]) -> dict[str, object]:
    """Of a key that stands twice, one reader takes the first and another the last."""
    known = dict(members)
    if len(known) < len(members):
        twice = next(key for key, count in Counter(key for key, _ in members).items() if count > 1)
        raise ValueError(f"{twice[:100]} stands twice in one object")
    return known


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")

"""The evidence file of a skill's proof (the test of a skill by answering past requests with and
without it), and its format.

`evidence.json` records how it was decided whether a skill helps: on which model, by which rule,
from which pairs of answers, and with which random number for the final decision when all allowed
pairs are used up. The module `rechecking` computes all of it again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Final, TypeVar

from lull.core.proof.last_look import LastLook
from lull.core.proof.pairs import Pair, PairPart, distinct_pairs, totals_of
from lull.core.proof.proof import ProofDecision, ProofRule, ProofState, ShownBy, shown_by

FORMAT: Final = 3
_FIRST_FORMAT: Final = 1
"""Evidence from before the last look: at most 60 pairs or as set, and only the e-value decided."""
_SECOND_FORMAT: Final = 2
"""Evidence from before hopeless tests ended early."""
_SINCE_THIRD: Final = {"unkept_pairs", "winless_pairs"}
_SINCE_SECOND: Final = {"rule": {"first_pairs", "open_e"}, "decision": {"shown_by"}}
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The stored evidence of whether a skill helps: the conditions of its test, the pairs of
    answers with and without the skill, and the result.
    """

    skill: str
    skill_sha256: str
    """sha256 of the exact bytes of the proved skill's SKILL.md."""
    model: str
    """Digest of the base model that answered the replays."""
    engine: str
    """Engine that ran the model: `ollama` or `mlx`."""
    adapter: str | None
    generation: int
    """Number of the version of the whole skill library (its generation) when the pairs were
    replayed.
    """
    judge: str
    """The judge's version; "" if none was asked."""
    rule: ProofRule
    successes: int
    """Number of past successes that could be replayed when the proof was decided."""
    pairs: tuple[Pair, ...]
    """Replayed pairs, in order of replay."""
    decision: ProofDecision
    look: LastLook | None = None
    """The random number of the last look (the randomised final decision); None if the proof has
    none.
    """


def pair_to_json(pair: Pair) -> dict[str, object]:
    """Convert a replayed pair of answers to the JSON in which evidence is stored."""
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
    """Parse one replayed pair (a past request answered with and without a skill) from JSON. Raises
    ValueError, with a message for people, for an invalid one.
    """
    known = _object(value, "a pair")
    names = {_json_name(field.name) for field in fields(Pair) if field.compare}
    _only(known, names, "a pair")
    return Pair(
        request=_get(known, "request", str),
        part=PairPart(_get(known, "part", str)),
        seed=_get(known, "seed", int),
        without=_number(known, "without"),
        with_=_number(known, "with"),
        scored_by=_get(known, "scored_by", str),
        request_sha256=_get(known, "request_sha256", str),
        without_sha256=_get(known, "without_sha256", str),
        with_sha256=_get(known, "with_sha256", str),
    )


def evidence_to_json(evidence: Evidence) -> dict[str, object]:
    """Convert the evidence of whether a skill helps (its test on past requests) to the document of
    `evidence.json`.
    """
    plain = {field.name: getattr(evidence, field.name) for field in fields(Evidence)}
    return {
        "format": FORMAT,
        **plain,
        "rule": asdict(evidence.rule),
        "pairs": [pair_to_json(pair) for pair in evidence.pairs],
        "decision": {
            **asdict(evidence.decision),
            "state": evidence.decision.state.value,
            "shown_by": evidence.decision.shown_by.value,
        },
        "look": look_to_json(evidence.look),
    }


def look_to_json(look: LastLook | None) -> dict[str, object] | None:
    """Convert the last look of a proof to the JSON in which evidence is stored."""
    return None if look is None else asdict(look)


def look_from_json(value: object) -> LastLook | None:
    """Parse from JSON the last look of a skill's test: the one randomised decision that may still
    accept the skill once all allowed replays are used up. None if the test has none. Raises
    ValueError, with a message for people.
    """
    if value is None:
        return None
    known = _object(value, "the last look")
    _only(known, {field.name for field in fields(LastLook)}, "the last look")
    return LastLook(
        seed=_get(known, "seed", str), coin=_number(known, "coin"), after=_get(known, "after", int)
    )


def evidence_from_json(value: object) -> Evidence:
    """Parse the whole document `evidence.json`, the stored evidence of whether a skill helps.
    Raises ValueError, with a message for people, for anything else.
    """
    known = _object(value, "the evidence")
    if known.get("format") == _FIRST_FORMAT:
        known = _from_first(known)
    elif known.get("format") == _SECOND_FORMAT:
        known = _from_second(known)
    elif known.get("format") != FORMAT:
        raise ValueError(f"its format is {known.get('format')!r}, and only 1 to {FORMAT} are known")
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
        look=look_from_json(known.get("look")),
    )


def _from_second(known: Mapping[str, object]) -> Mapping[str, object]:
    """A document of the second format as one of today's that says the same: no test ended before
    its pairs were spent because it was hopeless.
    """
    rule = _object(known.get("rule"), "the rule")
    if unknown := sorted(_SINCE_THIRD & rule.keys()):
        raise ValueError(f"the rule has fields that are not known: {', '.join(unknown)}")
    return {**known, "rule": {**rule, **dict.fromkeys(_SINCE_THIRD, rule.get("most_pairs"))}}


def _from_first(known: Mapping[str, object]) -> Mapping[str, object]:
    """A document of the first format as one of today's that says the same.

    Its rule had one number of pairs and no last look; what showed the benefit is worked out.
    """
    if "look" in known:
        raise ValueError("the evidence has fields that are not known: look")
    rule, decision = _object(known.get("rule"), "the rule"), known.get("decision")
    for part, names in _SINCE_SECOND.items():
        if unknown := sorted(names & _object(known.get(part), f"the {part}").keys()):
            raise ValueError(f"the {part} has fields that are not known: {', '.join(unknown)}")
    known = _from_second({**known, "rule": rule})
    rule = _object(known.get("rule"), "the rule")
    rule = {**rule, "first_pairs": rule.get("most_pairs"), "open_e": 1.0}
    pairs = known.get("pairs")
    replayed = [pair_from_json(pair) for pair in pairs] if isinstance(pairs, list) else []
    by = shown_by(totals_of(distinct_pairs(replayed)), _rule(rule), successes=0, look=None)
    decision = {**_object(decision, "the decision"), "shown_by": by.value}
    return {**known, "rule": rule, "decision": decision, "look": None}


def evidence_text(evidence: Evidence) -> str:
    """Return the text of `evidence.json`, the stored evidence of whether a skill helps; equal
    evidence gives equal bytes.
    """
    return json.dumps(evidence_to_json(evidence), indent=2, ensure_ascii=False) + "\n"


# From JSON


def _rule(value: object) -> ProofRule:
    known = _object(value, "the rule")
    _only(known, {field.name for field in fields(ProofRule)}, "the rule")
    return ProofRule(
        alpha=_number(known, "alpha"),
        first_pairs=_get(known, "first_pairs", int),
        most_pairs=_get(known, "most_pairs", int),
        open_e=_number(known, "open_e"),
        harm_e=_number(known, "harm_e"),
        success_pairs=_get(known, "success_pairs", int),
        least_success_pairs=_get(known, "least_success_pairs", int),
        suspect_e=_number(known, "suspect_e"),
        unkept_pairs=_get(known, "unkept_pairs", int),
        winless_pairs=_get(known, "winless_pairs", int),
    )


def _decision(value: object) -> ProofDecision:
    known = _object(value, "the decision")
    _only(known, {field.name for field in fields(ProofDecision)}, "the decision")
    return ProofDecision(
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
        shown_by=ShownBy(_get(known, "shown_by", str)),
    )


def _json_name(name: str) -> str:
    """The field's name in JSON; `with` is a Python keyword, so the field has a trailing
    underscore."""
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

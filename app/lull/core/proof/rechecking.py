"""Re-checks the evidence file of a skill's proof (its test on past requests).

Everything is computed again from the replayed pairs: counts, e-values, whether the proof stopped
exactly where its rule says, and, from its seed, the random number of the final decision. It cannot
tell whether the answers behind the hashes were really given.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import fields, replace

from lull.core.proof.evidence import Evidence, evidence_from_json
from lull.core.proof.last_look import LastLook, number_from_seed
from lull.core.proof.pairs import Pair, PairPart, Totals, distinct_pairs, totals_of
from lull.core.proof.proof import ProofDecision, ProofRule, ProofState, benefit_pairs_left, decide


def recheck(
    text: str, *, skill_sha256: str, rule: ProofRule | None = None, ended: bool = True
) -> list[str]:
    """Check the evidence file of a skill's proof (its test on past requests) by computing
    everything again; return the faults found, as sentences. Empty if there are none.

    `text` is that of `evidence.json`, `skill_sha256` that of the SKILL.md beside it. If `rule` is
    given, a proof by a more lenient rule is a fault, too. With `ended`, so is a proof that had to
    go on under its rule; without, it is not, because the user may have approved the skill before
    its proof ended, or under another rule.
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
        *_looking(evidence, ended=ended),
        *_stopping(evidence, ended=ended),
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
    """Report requests that have two texts or are in two parts of the proof."""
    found = []
    by_request: dict[str, set[tuple[PairPart, str]]] = {}
    for pair in pairs:
        by_request.setdefault(pair.request, set()).add((pair.part, pair.request_sha256))
    for request, faces in by_request.items():
        if len({part for part, _ in faces}) > 1:
            found.append(f"Request {request} appears in two parts of the proof.")
        if len({sha256 for _, sha256 in faces}) > 1:
            found.append(f"Request {request} has two texts.")
    return found


def _claims(evidence: Evidence) -> list[str]:
    """Report claims that differ from what the pairs give: the state, the numbers and the reason."""
    right = decide(evidence.pairs, evidence.rule, successes=evidence.successes, look=evidence.look)
    found = []
    for field in fields(ProofDecision):
        claimed, true = getattr(evidence.decision, field.name), getattr(right, field.name)
        close = isinstance(true, float) and math.isclose(claimed, true, rel_tol=1e-9)
        if claimed != true and not close:
            found.append(f"It says {field.name} is {_said(claimed)}; its pairs say {_said(true)}.")
    return found


def _looking(evidence: Evidence, *, ended: bool) -> list[str]:
    """Report a coin that its seed does not give, and a last look that was not the last or came
    before the pairs were spent."""
    look = evidence.look
    if look is None:
        return []
    found = []
    if look.coin != number_from_seed(look.seed):
        found.append(
            f"It says its final draw gave {look.coin:.6g}; its random seed gives "
            f"{number_from_seed(look.seed):.6g}."
        )
    own = totals_of(pair for pair in evidence.pairs if pair.part is not PairPart.SUCCESS)
    if not look.after:
        return found
    if own.benefit_pairs != look.after:
        found.append(
            f"Its final draw came after {look.after} pairs, but {own.benefit_pairs} are counted."
        )
    elif ended and _left(own, evidence.rule) > 0:
        found.append(
            f"Its final draw came after {look.after} pairs, before the allowed number was used up."
        )
    return found


def _left(own: Totals, rule: ProofRule) -> int:
    """Pairs left for the benefit where past successes wait, as they may have done at the look."""
    return benefit_pairs_left(own, rule, successes=1)


def _said(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _stopping(evidence: Evidence, *, ended: bool) -> list[str]:
    """Report a proof that did not stop exactly when it was decided."""
    # A replayed success existed, even if it could not be used to the end.
    there = {pair.request for pair in evidence.pairs if pair.part is PairPart.SUCCESS}
    successes = max(evidence.successes, len(there))
    for count in range(len(evidence.pairs)):
        before = evidence.pairs[:count]
        early = decide(
            before, evidence.rule, successes=successes, look=_look_at(before, evidence.look)
        )
        if early.state is not ProofState.UNDECIDED:
            extra = len(evidence.pairs) - count
            return [f"It was {early.state} after {count} pairs, and {extra} more were replayed."]
    last = decide(evidence.pairs, evidence.rule, successes=evidence.successes, look=evidence.look)
    if ended and last.state is ProofState.UNDECIDED:
        return [f"It stopped too early: {last.pairs} pairs decide nothing yet."]
    return []


def _look_at(pairs: tuple[Pair, ...], look: LastLook | None) -> LastLook | None:
    """Return the last look as it was when the proof had only these pairs; if more pairs followed,
    it had not been taken yet.
    """
    if look is None or totals_of(distinct_pairs(pairs)).benefit_pairs >= look.after:
        return look
    return replace(look, after=0)


def _laxer(own: ProofRule, rule: ProofRule) -> list[str]:
    """Report settings that make a proof easier than `rule` does; stricter ones are allowed."""
    easier = {
        "alpha": own.alpha > rule.alpha,
        "first_pairs": own.first_pairs > rule.first_pairs,
        "most_pairs": own.most_pairs > rule.most_pairs,
        "open_e": own.open_e < rule.open_e,
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


def _once_each(members: list[tuple[str, object]]) -> dict[str, object]:
    """Reject duplicate keys: some readers take the first value and others the last."""
    known = dict(members)
    if len(known) < len(members):
        twice = next(key for key, count in Counter(key for key, _ in members).items() if count > 1)
        raise ValueError(f"{twice[:100]} stands twice in one object")
    return known


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")

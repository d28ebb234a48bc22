"""Whether what once proved a skill still stands: `lull verify`, with a service and without.

The evidence file that lies beside the skill is worked out again by `core/evidence.py`. Here it is
decided which file that is, of which text it must be, and how the outcome reads. Blocks.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from lull.core.errors import NotFound
from lull.core.evidence import Evidence, evidence_from_json, recheck
from lull.core.proof import ProofRule, ProofState
from lull.core.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.skill import Library, Skill, SkillKey, SkillStatus, check_client, check_name
from lull.store.proposals import Proposals
from lull.store.skill_folders import FILE
from lull.store.skills import Skills

Json = dict[str, Any]

_GROUND: Final = ("model", "engine", "adapter", "judge", "generation")
"""What a proof ran on, in the file and in the record."""


def verified(
    skills: Skills, proposals: Proposals, *, name: str, client: str, rule: ProofRule
) -> Json:
    """`{"holds", "why", …}`; a proof by a laxer rule than `rule` does not hold.

    Raises NotFound for an unknown or deleted skill.
    """
    skill = _meant(skills.library(), SkillKey(check_client(client), check_name(name)))
    if skill.status is SkillStatus.ARCHIVED:
        raise NotFound(f"'{name}' was deleted.", hint="`lull skills rollback` brings it back.")
    data = skills.folders.evidence(skill.key)
    if data is None:
        holds, why, evidence = False, _no_evidence(skill, proposals.of_skill(skill.key)), None
    else:
        text = data.decode(errors="replace")
        wrong = recheck(text, skill_sha256=_sha256_beside(skills, skill), rule=rule)
        evidence = _read(text)
        if evidence is not None:
            wrong += _against_the_record(evidence, skill, proposals)
        holds, why = _outcome(wrong, evidence)
    return {
        "holds": holds,
        "why": why,
        "skill": skill.name,
        "client": skill.client or None,
        "version": skill.version,
        "sha256": skill.sha256,
        "evidence": None if evidence is None else _evidence_view(evidence),
    }


def _meant(library: Library, key: SkillKey) -> Skill:
    """Raises NotFound, which says whose skill has this name where that is a client's."""
    whose = sorted({k.client for k in library.skills if k.name == key.name})
    if key in library.skills or not whose:
        return library.get(key)
    raise NotFound(
        f"There is no skill '{key.name}' of {key.client or 'everybody'}.",
        hint=f"It is one of {', '.join(whose)}: `--client {whose[0]}`."
        if whose[0]
        else "It is everybody's: leave `--client` out.",
    )


def _against_the_record(evidence: Evidence, skill: Skill, proposals: Proposals) -> list[str]:
    """What the file says otherwise than the replays that were recorded: seeds and the hashes of
    answers can be told from nothing else."""
    if evidence.skill != skill.name:
        return [f"It is about a skill named {evidence.skill}."]
    proved = next((p for p in proposals.of_skill(skill.key) if p.sha256 == skill.sha256), None)
    if proved is None:
        return []  # copied from another client, or imported: there is no record here
    ground = proved.ground
    wrong = [
        f"It says {name} is {_shown(getattr(evidence, name))}; recorded is"
        f" {_shown(getattr(ground, name))}."
        for name in (_GROUND if ground is not None else ())
        if getattr(evidence, name) != getattr(ground, name)
    ]
    pairs = tuple(proposals.pairs(proved.id))
    if len(pairs) != len(evidence.pairs):
        wrong.append(f"It has {len(evidence.pairs)} pairs; {len(pairs)} were recorded.")
    elif different := [
        n for n, both in enumerate(zip(evidence.pairs, pairs, strict=True), 1) if both[0] != both[1]
    ]:
        wrong.append(f"Pair {different[0]} is not as it was recorded.")
    return wrong


def _shown(value: object) -> str:
    return "none" if value is None or value == "" else str(value)


def _sha256_beside(skills: Skills, skill: Skill) -> str:
    """Of the SKILL.md that lies beside the evidence: an edit by hand counts before it is taken
    in."""
    try:
        data = (skills.folders.folder(skill.key) / FILE).read_bytes()
    except OSError:
        return skill.sha256
    return hashlib.sha256(data).hexdigest()


def _no_evidence(skill: Skill, proposals: list[Proposal]) -> str:
    """Whose words the skill is, as far as that is known."""
    approved = [
        p
        for p in proposals
        if p.status is ProposalStatus.APPROVED and p.kind is not ProposalKind.RETIRE
    ]
    if any(p.sha256 == skill.sha256 for p in approved):
        return (
            "There is no evidence file beside it: it was approved before anything was replayed, or"
            " the file was removed."
        )
    if approved:
        return "Its text was changed after it was approved, and the new text was never proved."
    return "It was written by hand and has no proof."


def _outcome(wrong: list[str], evidence: Evidence | None) -> tuple[bool, str]:
    if wrong or evidence is None:
        return False, " ".join(wrong)
    said = evidence.decision
    if said.state is not ProofState.PROVED:
        return False, f"Its evidence is sound and does not prove it: {said.why}."
    return True, (
        f"Proved on {counted(said.requests, 'request')}: {said.wins} won and {said.losses} lost"
        f" of {counted(said.pairs - said.success_pairs, 'pair')}, e = {said.e_value:.4g} where"
        f" {1 / evidence.rule.alpha:.4g} is wanted; {_successes(evidence)}."
    )


def _successes(evidence: Evidence) -> str:
    said = evidence.decision
    if not said.success_pairs:
        return "there was no past success to replay"
    worse = said.success_losses or "none"
    return f"of {counted(said.success_pairs, 'past success', 'es')} {worse} got worse"


def counted(number: int, noun: str, plural: str = "s") -> str:
    return f"{number} {noun}{'' if number == 1 else plural}"


def _read(text: str) -> Evidence | None:
    try:
        return evidence_from_json(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _evidence_view(evidence: Evidence) -> Json:
    said = evidence.decision
    return {
        "model": evidence.model,
        "engine": evidence.engine,
        "adapter": evidence.adapter,
        "generation": evidence.generation,
        "judge": evidence.judge or None,
        "state": said.state.value,
        "pairs": said.pairs,
        "requests": said.requests,
        "wins": said.wins,
        "losses": said.losses,
        "e_value": said.e_value,
        "harm_e_value": said.harm_e_value,
    }

"""Re-checks the stored proof (recorded replays of requests) that a skill helps, for `lull verify`,
with or without a running service.

The module picks the evidence file and the skill text that the evidence must match, and puts the
result into words. Blocking.
"""

from __future__ import annotations

import hashlib
import json
import logging
from typing import Final

from lull.contract.json_object import Json
from lull.core.errors import LullError, NotFound, StoreError
from lull.core.proof.evidence import Evidence, evidence_from_json
from lull.core.proof.last_look import acceptance_chance
from lull.core.proof.proof import ProofRule, ProofState, ShownBy
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalStatus
from lull.core.proof.rechecking import recheck
from lull.core.skills.skill import Library, Skill, SkillKey, SkillStatus, check_client, check_name
from lull.service.proof.proposal_views import last_look_view
from lull.store.proof.proposals import Proposals
from lull.store.skills.proof_records import ProofRecord
from lull.store.skills.skill_files import SKILL_FILE
from lull.store.skills.skills import Skills

log = logging.getLogger(__name__)


_NOT_OURS: Final = {
    ProofRecord.OTHER: "It is not the document that this Lull wrote when the text was approved.",
    ProofRecord.LOST: "The sealed record of which proofs this Lull wrote was changed or removed "
    "outside of Lull.",
}
_NO_RECORD: Final = (
    "This Lull has no sealed record of having proved it (the proof was brought here from elsewhere,"
    " or the record was lost), so only its own numbers were checked."
)
_GROUND_FIELDS: Final = ("model", "engine", "adapter", "judge", "generation")
"""Fields that say what a proof ran on, in the evidence file and in the record."""


def verify_stored_proof(
    skills: Skills, proposals: Proposals, *, name: str, client: str, rule: ProofRule
) -> Json:
    """Re-check the stored proof (recorded replays of requests) that a skill helps. In the result
    `{"holds", "stored", "why", …}`, `holds` says whether the proof is valid and `stored` whether
    there is one.

    A proof made under a weaker rule than `rule` is not valid. Raises NotFound for an unknown or
    deleted skill.
    """
    skill = _meant(skills.library(), SkillKey(check_client(client), check_name(name)))
    if skill.status is SkillStatus.ARCHIVED:
        raise NotFound(f"'{name}' was deleted.", hint="`lull skills rollback` brings it back.")
    data = skills.folders.evidence(skill.key)
    if data is None:
        holds, why, evidence = False, _no_evidence(skill, proposals.of_skill(skill.key)), None
    else:
        record = skills.proof_record(skill.sha256, data)
        text = data.decode(errors="replace")
        wrong = recheck(text, skill_sha256=_sha256_beside(skills, skill), rule=rule)
        evidence = _read(text)
        if evidence is not None:
            wrong += _against_the_record(evidence, skill, proposals)
        wrong += [_NOT_OURS[record]] if record in _NOT_OURS else []
        holds, why = _outcome(wrong, evidence)
        if record is ProofRecord.NONE:
            why = f"{why} {_NO_RECORD}"
    return {
        "holds": holds,
        "stored": data is not None,
        "why": why,
        "skill": skill.name,
        "client": skill.client or None,
        "version": skill.version,
        "sha256": skill.sha256,
        "evidence": None if evidence is None else _evidence_view(evidence),
    }


def repair_evidence(skills: Skills, proposals: Proposals) -> list[LullError]:
    """Repair the stored proofs of skills (recorded replays of requests) that were changed or
    damaged outside of Lull.

    Each proof is stored in two copies. If one copy is intact, the other is restored from it.
    Returns an error for each proof without an intact copy.
    """
    told: list[LullError] = []
    for key, skill in skills.library().skills.items():
        kept = skills.folders.kept_evidence(skill.sha256)
        if kept is None or skill.status is SkillStatus.ARCHIVED:
            continue
        try:
            beside = skills.folders.evidence(key)
        except LullError:
            beside = None
        copies = (d for d in (kept, beside) if d)
        whole = next((d for d in copies if _is_whole(d, skill, skills, proposals)), None)
        if whole is None:
            told.append(
                StoreError(
                    f"The proof of '{skill.name}' was changed outside of Lull, and no intact copy "
                    "is left.",
                    hint=f"`lull verify {skill.name}` says what is wrong with it.",
                )
            )
        elif kept != beside or whole != kept:
            log.warning("the proof of skill %s was changed and is put right", skill.name)
            skills.folders.set_evidence(key, skill.sha256, whole)
    return told


def _is_whole(data: bytes, skill: Skill, skills: Skills, proposals: Proposals) -> bool:
    record = skills.proof_record(skill.sha256, data)
    if record in (ProofRecord.OURS, ProofRecord.OTHER):
        return record is ProofRecord.OURS
    text = data.decode(errors="replace")
    evidence = _read(text)
    if evidence is None:
        return False
    wrong = recheck(text, skill_sha256=skill.sha256, rule=evidence.rule, ended=False)
    return not wrong and not _against_the_record(evidence, skill, proposals)


def _meant(library: Library, key: SkillKey) -> Skill:
    """Return the skill with this key. Raises NotFound, naming the clients that have such a
    skill."""
    whose = sorted({k.client for k in library.skills if k.name == key.name})
    if key in library.skills or not whose:
        return library.get(key)
    raise NotFound(
        f"There is no skill '{key.name}' of {key.client or 'everybody'}.",
        hint=f"There is one for {', '.join(whose)}: add `--client {whose[0]}`."
        if whose[0]
        else "It applies to all chat apps: leave out `--client`.",
    )


def _against_the_record(evidence: Evidence, skill: Skill, proposals: Proposals) -> list[str]:
    """Report how the evidence file differs from the recorded replays, which alone confirm seeds and
    answers.

    The same text may have been proved more than once, with other models or for other clients; one
    of those records must agree.
    """
    if evidence.skill != skill.name:
        return [f"It is about a skill named {evidence.skill}."]
    records = proposals.of_text(skill.name, skill.sha256)
    if all(record.key != skill.key for record in records):
        return []  # copied from another client or imported, so there is no record here
    return min((_otherwise(evidence, record, proposals) for record in records), key=len)


def _otherwise(evidence: Evidence, record: Proposal, proposals: Proposals) -> list[str]:
    """Report how a proof differs from the record of a proposal."""
    ground = record.ground
    wrong = [
        f"It says {name} is {_shown(getattr(evidence, name))}; the record says "
        f"{_shown(getattr(ground, name))}."
        for name in (_GROUND_FIELDS if ground is not None else ())
        if getattr(evidence, name) != getattr(ground, name)
    ]
    if ground is not None and evidence.look != ground.look:
        wrong.append("Its final draw differs from what was recorded.")
    pairs = tuple(proposals.pairs(record.id))
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
    """Hash the SKILL.md next to the evidence file, which may be edited and not yet imported."""
    try:
        data = (skills.folders.folder(skill.key) / SKILL_FILE).read_bytes()
    except OSError:
        return skill.sha256
    return hashlib.sha256(data).hexdigest()


def _no_evidence(skill: Skill, proposals: list[Proposal]) -> str:
    """Say why a skill has no evidence, as far as known."""
    approved = [
        p
        for p in proposals
        if p.status is ProposalStatus.APPROVED and p.kind is not ProposalKind.RETIRE
    ]
    if any(p.sha256 == skill.sha256 for p in approved):
        return "It was approved before it was tested, or the file with the evidence was removed."
    if approved:
        return "Its text was changed after it was approved, and the new text was never proved."
    return "It was written by hand and has no proof."


def _outcome(wrong: list[str], evidence: Evidence | None) -> tuple[bool, str]:
    if wrong or evidence is None:
        return False, " ".join(wrong)
    said = evidence.decision
    if said.state is not ProofState.PROVED:
        return False, f"Its evidence is sound but does not prove it: {said.why}."
    by = "" if said.shown_by is ShownBy.EVIDENCE else " by the final draw"
    return True, (
        f"Proved{by} on {counted(said.requests, 'request')}: better in {said.wins} and worse in"
        f" {said.losses} of {counted(said.pairs - said.success_pairs, 'pair')};"
        f" {_successes(evidence)}.{_last_look(evidence)}"
    )


def _last_look(evidence: Evidence) -> str:
    """Say what the last look was and that its coin was drawn again; "" where none accepted."""
    look, said = evidence.look, evidence.decision
    if look is None or said.shown_by is not ShownBy.LAST_LOOK:
        return ""
    chance = acceptance_chance(said.e_value, evidence.rule.alpha)
    return (
        " The evidence alone was not enough: with its pairs spent, one final draw accepts it with"
        f" a chance of {chance:.1%},"
        f" and its number, drawn again from the seed “{look.seed}”, is {look.coin:.4f}."
    )


def _successes(evidence: Evidence) -> str:
    said = evidence.decision
    if not said.success_pairs:
        return "there was no past success to replay"
    worse = said.success_losses or "none"
    return f"{worse} of {counted(said.success_pairs, 'past success', 'es')} got worse"


def counted(number: int, noun: str, plural: str = "s") -> str:
    """Return a number with its noun, such as "1 pair" or "2 pairs"."""
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
        "needs_e_value": 1 / evidence.rule.alpha,
        "shown_by": said.shown_by.value or None,
        "last_look": last_look_view(evidence.look, said.e_value, evidence.rule.alpha),
    }

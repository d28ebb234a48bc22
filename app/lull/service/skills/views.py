"""Builds the JSON of skills (instruction texts), their versions and what they changed, which the
control API and `lull … --json` return.

New versions of Lull only add keys to this JSON.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence, Set

from lull.contract.json_object import Json
from lull.core.proof.holdout import Effect
from lull.core.proof.in_use import SkillMeasure
from lull.core.proof.proposal import Proposal
from lull.core.skills.skill import Library, Skill, SkillGeneration, SkillKey, SkillStatus
from lull.service.proof.skill_texts import text_view
from lull.store.skills.library_reader import HistoryRow


def skill_view(
    skill: Skill,
    uses: Mapping[SkillKey, int],
    effects: Mapping[SkillKey, Effect] | None = None,
    measures: Mapping[SkillKey, SkillMeasure] | None = None,
    tested: Mapping[SkillKey, Set[str]] | None = None,
    conflicts: Mapping[SkillKey, Sequence[SkillKey]] | None = None,
) -> Json:
    """Return the JSON of one skill (an instruction text).

    `uses`, `effects`, `measures`, `tested` and `conflicts` (the skills that it contradicts) hold
    what is known of all skills, by skill. In the result, `edited` is true if an earlier text of the
    skill was tested before approval but the present text was not.
    """
    effect = (effects or {}).get(skill.key)
    texts = (tested or {}).get(skill.key, frozenset())
    return {
        "name": skill.name,
        "description": skill.description,
        "version": skill.version,
        "sha256": skill.sha256,
        "status": skill.status.value,
        "pinned": skill.pinned,
        "client": skill.client or None,
        "uses": uses.get(skill.key, 0),
        "effect": None
        if effect is None
        else {"value": effect.value, "low": effect.low, "high": effect.high, "n": effect.n},
        "body": skill.body,
        "edited": bool(texts) and skill.sha256 not in texts,
        "measured": _measure_view((measures or {}).get(skill.key)),
        "conflicts": [
            {"name": key.name, "client": key.client or None}
            for key in (conflicts or {}).get(skill.key, ())
        ],
        "scope": skill.scope.value,
    }


def _measure_view(measure: SkillMeasure | None) -> Json | None:
    """Return the JSON of how a skill is measured; None where no service runs."""
    if measure is None:
        return None
    return {
        "by": measure.by.value,
        "share": measure.share,
        "first_uses": measure.first_uses,
        "pairs": measure.counts.pairs,
        "better": measure.counts.better,
        "worse": measure.counts.worse,
    }


def skills_view(
    library: Library,
    uses: Mapping[SkillKey, int],
    effects: Mapping[SkillKey, Effect],
    measures: Mapping[SkillKey, SkillMeasure],
    *,
    tested: Mapping[SkillKey, Set[str]],
    conflicts: Mapping[SkillKey, Sequence[SkillKey]],
    client: str | None,
    everything: bool,
) -> Json:
    """Return the JSON of active and disabled skills (instruction texts); with `everything` also of
    archived ones.
    """
    chosen = [
        skill
        for key, skill in sorted(library.skills.items())
        if (client is None or key.client == client)
        and (everything or skill.status is not SkillStatus.ARCHIVED)
    ]
    return {
        "generation": library.generation,
        "skills": [
            skill_view(skill, uses, effects, measures, tested, conflicts) for skill in chosen
        ],
    }


def history_view(rows: Sequence[HistoryRow], about: Json | None = None) -> Json:
    """Return the JSON that the control API shows of one skill's history; `about` tells more of its
    present text.
    """
    return {
        "history": [
            {
                "generation": row.generation,
                "at": row.at,
                "change": row.change,
                "detail": row.detail,
                "version": row.version,
                "sha256": row.sha256,
                "status": row.status.value,
                "pinned": row.pinned,
            }
            for row in rows
        ],
        "about": about,
    }


def about_view(data: bytes, approved: Proposal | None) -> Json:
    """Return the JSON of a skill's present text: its file, its check in words, and the suggestion
    as which it was approved, if it was.
    """
    said = text_view(data)
    return {
        "file": data.decode(errors="replace"),
        "check": said["check"] if said else None,
        "origin": approved.origin.value if approved else None,
        "made": approved.made_at.isoformat() if approved else None,
    }


def generations_view(rows: Sequence[SkillGeneration]) -> Json:
    """Return the JSON that the control API shows of the history of all skills."""
    return {
        "history": [
            {
                "generation": row.number,
                "at": row.at.isoformat(),
                "change": row.change.value,
                "detail": row.detail,
            }
            for row in reversed(rows)
        ]
    }


def diff_view(before: bytes, after: bytes, *, old: str, new: str) -> Json:
    """Return the JSON that the control API shows of the difference between two texts: of their
    files, and what each says.
    """
    lines = difflib.unified_diff(
        before.decode().splitlines(), after.decode().splitlines(), old, new, lineterm=""
    )
    return {
        "from": old,
        "to": new,
        "diff": "\n".join(lines),
        "before": text_view(before),
        "after": text_view(after),
    }

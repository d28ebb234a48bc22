"""Says in the window's language what a skill asks for and which requests it is for, and how serious
the findings about its text are.

Lull puts the user's own words into a fixed English sentence, which is for the model. The window
shows the words alone and says the rest itself; any other text is shown as it is.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from lull.contract.json_object import Json
from lull.core.provenance.flags import FlagKind
from lull.core.skills.stated_skill import example_of_description, states_fact, words_of
from lull.desktop.language.words import plain, skill_title, tr


def rule_words(body: str) -> str:
    """Return what a skill asks for: the user's own words in quotation marks if Lull built it of
    them, else its whole text.
    """
    said = words_of(body)
    if said == body:
        return plain(body)
    return tr("Keep in mind: “%1”", plain(said)) if states_fact(body) else tr("“%1”", plain(said))


def where_words(description: str) -> str:
    """Say which requests a skill is for; a description that is not Lull's is returned as it is."""
    example = example_of_description(description)
    if example is None:
        return plain(description)
    return tr("For requests like: %1", plain(example)) if example else tr("For every request.")


def conflict_words(skill: Json) -> str:
    """Say which skills in use a skill or suggestion contradicts; "" if none is known.

    Only rules that a program can check are compared.
    """
    names = ", ".join(tr("“%1”", skill_title(one["name"])) for one in skill.get("conflicts") or ())
    if not names:
        return ""
    return tr(
        "No answer can keep both this and %1. Change one of them, or keep only the one you mean.",
        names,
    )


class FlagLook(StrEnum):
    """How a finding about a proposed skill's text is shown: as a danger, as a caution, or as
    something to know.
    """

    DANGER = "bad"
    CAUTION = "warn"
    NEUTRAL = "muted"


_BY_FORM: Final = frozenset(
    {FlagKind.PERHAPS_QUOTED, FlagKind.STRANGERS_NEAR, FlagKind.MODEL_WORDS}
)
"""Kinds of findings that say where words stood or who wrote them, and nothing against the words."""


def flag_look(flag: Json) -> FlagLook:
    """Choose the look of a warning about a skill's text by how serious it is."""
    if flag.get("severity") == "quarantine":
        return FlagLook.DANGER
    calm = flag.get("severity") == "note" or flag.get("kind") in _BY_FORM
    return FlagLook.NEUTRAL if calm else FlagLook.CAUTION

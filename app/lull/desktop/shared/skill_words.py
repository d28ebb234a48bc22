"""Says in the window's language what a skill asks for, which requests it is for, how two of its
texts differ, and how serious the findings about its text are.

Lull puts the user's own words into a fixed English sentence, which is for the model. The window
shows the words alone and says the rest itself; any other text is shown as it is.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from lull.contract.json_object import Json
from lull.core.feedback.feedback import Scope
from lull.core.provenance.flags import FlagKind
from lull.core.skills.stated_skill import example_of_description, states_fact, words_of
from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import plain, skill_title, tr, translated
from lull.desktop.widgets.text.diff import escaped
from lull.desktop.widgets.tokens import Theme


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


def scope_words(skill: Json) -> str:
    """Describe in words the requests to which a skill or suggestion applies."""
    words = {
        Scope.KIND.value: tr("For similar requests"),
        Scope.ALL.value: tr("For every request"),
    }
    return words[str(skill.get("scope") or Scope.KIND.value)]


def when_words(skill: Json) -> str:
    """Say when a skill applies; a description of Lull's own says its scope too, so that the scope
    would only repeat it.
    """
    description = str(skill.get("description") or "")
    where = where_words(description)
    if example_of_description(description) is not None:
        return where
    return f"{where}\n{scope_words(skill)}." if where else f"{scope_words(skill)}."


def fields_html(skill: Json, theme: Theme, *, source: str) -> str:
    """Render what a person wants to know of a skill or suggestion below its name: what it says,
    when it applies, its check, and `source`, which says where it comes from.
    """
    body = str(skill.get("body") or "")
    rule = rule_words(body)
    client = skill.get("client")
    whose = client_title(client) if client else tr("In every chat app")
    fields = [
        (tr("What it says"), rule),
        (tr("When it applies"), f"{when_words(skill)}\n{whose}"),
        (tr("How its answers are checked"), _check_words(skill) if "check" in skill else ""),
        (tr("Where it comes from"), source),
        (tr("What the model reads"), plain(body) if plain(body) != rule else ""),
    ]
    return "".join(_field(title, text, theme) for title, text in fields if text)


def _field(title: str, text: str, theme: Theme) -> str:
    head = f"<span style='color:{theme.muted}'>{escaped(title)}</span>"
    return f"<p>{head}<br>{escaped(text)}</p>"


def origin_words(origin: object) -> str:
    """Say where the text of a skill or suggestion comes from; "" if that is not known."""
    words = {
        "extractive": tr("From what you said in a chat."),
        "model": tr("Written by one of your models, from answers that went wrong."),
        "guard": tr("From what was measured while it was in use."),
        "file": tr("From a file that was imported, or changed outside of Lull."),
    }
    return words.get(str(origin or ""), "")


def words_diff(before: Json | None, after: Json | None) -> str:
    """Return a unified diff of what a skill says before and after a change, as a person reads it:
    when it applies, what it asks for and its check.

    None stands for no skill.
    """
    was, will = _said(before), _said(after)
    return "\n".join(difflib.unified_diff(was, will, n=1_000, lineterm=""))


def _said(skill: Json | None) -> Sequence[str]:
    if skill is None:
        return ()
    return (
        *rule_words(str(skill.get("body") or "")).splitlines(),
        "",
        *when_words(skill).splitlines(),
        _check_words(skill),
    )


def _check_words(skill: Json) -> str:
    """Describe a skill's check, so that it makes sense beside those of other kinds."""
    if skill.get("check"):
        return tr("By an exact check: %1", translated(skill, "check"))
    return tr("No exact check: its answers are judged by you or by a model.")


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

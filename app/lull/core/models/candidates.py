"""Selects the installed chat models that take an exam (labelled items), which shows whether Lull
can use them to read users' messages, judge answers or write skills: largest first, three at most.

Nothing is sent to another machine, and no model is loaded that does not fit in memory. A model that
the user has named for a role is examined as well, to show how well it does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lull.core.chat.model_name import canonical
from lull.core.models.exam import ROLES, ModelRole
from lull.core.models.ollama_model import ListedModel, ShownModel, is_published

GB: Final = 1_000_000_000
MOST_EXAMINED: Final = 3
LOADED_SHARE: Final = 1.2
"""Memory of a loaded model as a multiple of its file size: the weights, plus the context of one
question.
"""
HEADROOM_SHARE: Final = 0.1
"""Share of all memory that must stay free beside the loaded model."""
AUTO: Final = "auto"
OFF: Final = ("", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineMemory:
    """The memory of this machine, by which it is decided which models can be loaded beside the
    others.
    """

    total_bytes: int
    available_bytes: int

    @property
    def may_take(self) -> float:
        """The bytes that one more model may take; a share of the memory is always left free."""
        return self.available_bytes - HEADROOM_SHARE * self.total_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A model that is installed in Ollama, as Ollama lists and describes it."""

    listed: ListedModel
    shown: ShownModel | None
    """Ollama's description of the model (`/api/show`); None if Ollama gives none."""
    loaded: bool = False
    """Whether the model is already loaded in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An installed model that might take over one of Lull's tasks, such as judging answers, after
    an exam.
    """

    name: str
    digest: str
    why_not: str = ""
    """Why the model is not examined; "" if it will be."""


def is_off(setting: str) -> bool:
    """Return whether a setting that can name a model switches this use of models off."""
    return setting.strip().lower() in OFF


def is_auto(setting: str) -> bool:
    """Return whether a setting that names a model leaves the choice to Lull."""
    return setting.strip().lower() == AUTO


def candidates(
    installed: Sequence[Installed], memory: MachineMemory, *, named: Collection[str] = ()
) -> tuple[Candidate, ...]:
    """Return all installed models as candidates for Lull's exams (tests on labelled items), those
    to be examined first at the front. `named`: models that the user set for a role, such as judging
    answers.
    """
    wanted = {canonical(name) for name in named}
    able: list[Candidate] = []
    unable: list[Candidate] = []
    seen: set[str] = set()
    for one in sorted(installed, key=lambda one: (-one.listed.size_bytes, one.listed.name)):
        is_named = canonical(one.listed.name) in wanted
        why = _why_not(one, memory, is_named=is_named)
        if not why and one.listed.digest in seen and not is_named:
            why = "It is the same model as another one, under a second name."
        counted = sum(not made.why_not for made in able if canonical(made.name) not in wanted)
        if not why and not is_named and counted >= MOST_EXAMINED:
            why = f"The {MOST_EXAMINED} largest that fit are tested."
        made = Candidate(name=one.listed.name, digest=one.listed.digest, why_not=why)
        (unable if why else able).append(made)
        if not why:
            seen.add(one.listed.digest)
    return (*able, *unable)


def _why_not(one: Installed, memory: MachineMemory, *, is_named: bool) -> str:
    listed, shown = one.listed, one.shown
    if listed.remote or (shown is not None and shown.remote):
        return "It runs on somebody else's machine."
    if shown is None:
        return "Ollama says nothing of it."
    if "completion" not in shown.capabilities:
        return (
            "It makes embeddings and does not answer."
            if "embedding" in shown.capabilities
            else ("Ollama does not say that it answers.")
        )
    if is_published(listed.name) and not is_named:
        return "It is a trained copy made by Lull; its original is tested instead."
    needs = LOADED_SHARE * listed.size_bytes
    if not one.loaded and needs > memory.may_take:
        may = max(0.0, memory.may_take) / GB
        return f"It needs about {needs / GB:.1f} GB of memory; {may:.1f} GB may be taken now."
    return ""


def to_examine(
    able: Sequence[Candidate],
    settings: Mapping[ModelRole, str],
    passed: Mapping[tuple[str, ModelRole], bool],
) -> list[tuple[Candidate, ModelRole]]:
    """Return the exams (tests on labelled items) that models still have to take, in order, as pairs
    of a model and the role that it is tested for, such as judging answers.

    With the setting "auto" the largest model that passes takes a role, so smaller ones are not
    examined for it; a model set by name is the only one examined.
    """
    wanted = []
    for one in able:
        if one.why_not:
            continue
        for role in ROLES:
            if (one.digest, role) not in passed and _wants(one, role, able, settings, passed):
                wanted.append((one, role))
    return wanted


def _wants(
    one: Candidate,
    role: ModelRole,
    able: Sequence[Candidate],
    settings: Mapping[ModelRole, str],
    passed: Mapping[tuple[str, ModelRole], bool],
) -> bool:
    setting = settings.get(role, AUTO)
    if is_off(setting):
        return False
    if not is_auto(setting):
        return canonical(setting) == canonical(one.name)
    larger = able[: able.index(one)]
    return not any(passed.get((other.digest, role)) for other in larger)


def largest_passed(
    able: Sequence[Candidate], role: ModelRole, passed: Mapping[tuple[str, ModelRole], bool]
) -> Candidate | None:
    """Return the model for a role (such as judging answers) whose setting is "auto": the largest
    model that passed the role's exam on labelled items; None if none did.

    A model that does not fit in memory now may still be chosen, as long as it is installed and
    unchanged.
    """
    return next((one for one in able if passed.get((one.digest, role))), None)

"""Reads from the settings which chat model has which role: feedback reader, judge, skill writer."""

from __future__ import annotations

from lull.config.settings import Settings
from lull.core.models.exam import ModelRole


def models_and_addresses(settings: Settings) -> dict[ModelRole, tuple[str, str]]:
    """Return the model and address of each role (feedback reader, judge, skill writer) as set in
    the settings.
    """
    return {
        ModelRole.READER: (settings.reader.model, ""),
        ModelRole.JUDGE: (settings.judge.model, settings.judge.address),
        ModelRole.WRITER: (settings.writer.model, settings.writer.address),
    }


def models_to_examine(settings: Settings) -> dict[ModelRole, str]:
    """Return the model that the settings name for each role (feedback reader, judge, skill writer),
    so that Lull gives it the exam for this role.

    The name is "" where the settings give the address of a separate model server: only its owner
    knows what it is and where it runs, so it is not examined.
    """
    known = models_and_addresses(settings)
    return {role: "" if address else model for role, (model, address) in known.items()}

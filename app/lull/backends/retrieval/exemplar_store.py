"""Interface of the store of exemplars on disk, behind the copy in memory that answers requests.

It is implemented twice: by Chroma in this process, and by a child process with Chroma that runs
only while it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]


class ExemplarLabel(NamedTuple):
    """What is stored of an exemplar (a past request and a skill that was useful for it) besides its
    text and vector.
    """

    id: str
    client: str
    skill: str
    known: int
    """Version of the skill library with which the request was answered."""


class ExemplarStore(Protocol):
    """Interface of the store of exemplars on disk, opened by the first call. Blocking; every method
    raises StoreError, of which DamagedVectors says that the files cannot be read.
    """

    def set_aside(self) -> Path:
        """Move damaged files aside, to the path that is returned; the next call begins anew."""

    def page(self, offset: int, *, client: str | None) -> list[tuple[ExemplarLabel, Vector]]:
        """Return the exemplars from the one with number `offset` on, at most `PAGE_SIZE`; only
        those of one client if it is given.
        """

    def of_other_embedders(self) -> list[tuple[ExemplarLabel, str]]:
        """Return the exemplars with their texts whose vectors another embedder computed."""

    def drop_other_embedders(self) -> None:
        """Delete the exemplars whose vectors another embedder computed."""

    def put(self, label: ExemplarLabel, vector: Vector, text: str) -> None:
        """Store an exemplar; it replaces one with the same id."""

    def remove(self, ids: Sequence[str]) -> None:
        """Delete exemplars by id; unknown ids are ignored."""

    def ids(self) -> list[str]:
        """Return the ids of all exemplars."""

    def of_skill(self, skill: str) -> list[ExemplarLabel]:
        """Return a skill's exemplars of all clients."""

    def count(self) -> int:
        """Return the number of exemplars for which a skill was useful."""

    def rewrite(self) -> None:
        """Rewrite the files, so that deleted content is gone from the disk too."""


PAGE_SIZE = 100
"""Exemplars read per call."""

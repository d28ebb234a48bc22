"""What the stories of weights ask of the world: files of weights, and an Ollama that keeps models.

Two small protocols and what goes through them. Numbers of progress are bytes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from lull.core.ollama_model import ListedModel, ShownModel
from lull.core.weight_form import WeightForm

Report = Callable[[int, int], None]
"""Done, and in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a file of weights is found to be."""

    architecture: str
    n_bytes: int
    """Of the folder that would be made of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedFile:
    path: str
    sha256: str
    n_bytes: int
    changed: int
    """Tensors that are not the base's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsFolder:
    """A folder of MLX weights that somebody else made."""

    path: str
    """Absolute."""
    model_type: str
    """As its config.json says: `llama`, `qwen3`, `gemma3_text`."""
    n_bytes: int
    """Of the weights on disk; so much they take of memory."""


class WeightFolders(Protocol):
    """Where folders of MLX weights lie."""

    def place(self, name: str, sha256: str, form: WeightForm) -> str:
        """Where the folder of this model's weights is, or is to be."""

    def look(self, path: str) -> WeightsFolder:
        """Raises WeightsError for a folder that holds no model, or half of one."""

    def adopt(self, found: WeightsFolder) -> str:
        """Remember somebody's folder under a model name of its own, which is given back. The
        folder itself is left as it is."""


class WeightWork(Protocol):
    """Works on files of weights, away from the requests. Cancelling ends it at once; begun again
    it goes on where it can."""

    def look(self, blob: str, form: WeightForm) -> Awaitable[Look]:
        """Raises CannotLearn, WeightsError."""

    def make_folder(
        self, blob: str, folder: str, form: WeightForm, facts: Mapping[str, object], report: Report
    ) -> Awaitable[None]:
        """A folder of MLX weights. Nothing is done where it is there. Raises CannotLearn,
        WeightsError, Conflict."""

    def merge(self, blob: str, adapter: str, out: str, report: Report) -> Awaitable[MergedFile]:
        """Raises WeightsError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextToken:
    """What a model would say next."""

    text: str
    """Of the likeliest token."""
    logprobs: tuple[float, ...]
    """Natural, of the likeliest ones, in falling order."""
    prompt_tokens: int


class ModelStore(Protocol):
    """An Ollama, as far as its models are concerned. Raises UpstreamDown where it does not answer,
    WeightsError where it refuses."""

    def listed(self) -> Awaitable[tuple[ListedModel, ...]]: ...

    def show(self, name: str) -> Awaitable[ShownModel]:
        """Raises NotFound."""

    def has_blob(self, digest: str) -> Awaitable[bool]: ...

    def upload(self, digest: str, path: str, report: Report) -> Awaitable[None]: ...

    def create(self, body: Mapping[str, object]) -> Awaitable[None]: ...

    def delete(self, name: str) -> Awaitable[None]:
        """Nothing where there is none."""

    def next_token(self, name: str, prompt: str, *, most: int) -> Awaitable[NextToken | None]:
        """After a raw prompt. None where it does not tell log-probabilities."""

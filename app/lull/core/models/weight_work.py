"""Interfaces for work on model weights: converting and merging weight files, and storing models in
an Ollama server.

Progress is counted in bytes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lull.core.models.mlx_weights import MlxWeights
from lull.core.models.ollama_model import ListedModel, ShownModel
from lull.core.models.weight_form import WeightForm

Report = Callable[[int, int], None]
"""Progress callback, called with the bytes done and the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsFound:
    """Facts about a model's weights file: its architecture, and the size of the MLX folder that
    would be made from it.
    """

    architecture: str
    n_bytes: int
    """Size in bytes of the MLX folder that would be made from the weights file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedFile:
    """A weights file into which a LoRA adapter was merged."""

    path: str
    sha256: str
    n_bytes: int
    changed: int
    """Number of tensors that differ from the base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptableFolder:
    """A folder of MLX weights that Lull did not make, such as one that the user downloaded."""

    path: str
    """Absolute path of the folder."""
    model_type: str
    """Model type as in the folder's config.json: `llama`, `qwen3`, `gemma3_text`."""
    n_bytes: int
    """Size of the folder's weights in bytes, on disk and in memory."""


class WeightFolders(Protocol):
    """Interface that finds, inspects and registers folders of MLX weights on disk."""

    def folder_path(self, name: str, sha256: str, form: WeightForm) -> str:
        """Return the path at which the folder with this model's MLX weights belongs, whether or not
        it exists. `sha256` is that of the weights file, `form` the storage format.
        """

    def found(self, model: str, form: WeightForm) -> MlxWeights | None:
        """Return the newest MLX weights of the model of this name; None if there are none yet.

        Folders made by Lull must have the storage format `form`; folders added by users may have
        any. Blocking.
        """

    def inspect(self, path: str) -> AdoptableFolder:
        """Inspect a folder of MLX weights. Raises WeightsError if it holds no model or an
        incomplete one.
        """

    def adopt(self, found: AdoptableFolder) -> str:
        """Register an existing folder of MLX weights under a new model name, and return that name.
        The folder itself is not changed.
        """


class WeightWork(Protocol):
    """Interface for converting and merging weight files in the background, while chats are
    answered. Cancelling stops the work at once; started again, it continues where possible.
    """

    def inspect(self, blob: str, form: WeightForm) -> Awaitable[WeightsFound]:
        """Read from a model's weights file which architecture it has and how large its MLX folder
        would be. Raises CannotLearn or WeightsError.
        """

    def make_folder(
        self, blob: str, folder: str, form: WeightForm, facts: Mapping[str, object], report: Report
    ) -> Awaitable[None]:
        """Convert a weights file into a folder of MLX weights, unless that folder exists. `report`
        is called with the progress in bytes. Raises CannotLearn, WeightsError, Conflict.
        """

    def merge(self, blob: str, adapter: str, out: str, report: Report) -> Awaitable[MergedFile]:
        """Merge a LoRA adapter into a weights file; write the result to the file `out`. Raises
        WeightsError.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class NextToken:
    """A model's prediction of the next token after a prompt: the likeliest token, and
    log-probabilities.
    """

    text: str
    """Text of the likeliest next token."""
    logprobs: tuple[float, ...]
    """Natural log-probabilities of the likeliest tokens, in falling order."""
    prompt_tokens: int


class WeightFiles(Protocol):
    """Interface that finds the weights file of a model of Ollama's on this machine."""

    def readable_blob(self, model: ShownModel) -> Path:
        """Return the path of a model's weights file. Blocking. Raises WeightsError, which says what
        the user can do, if it is missing or cannot be read.
        """


class ModelStore(Protocol):
    """Interface to the models of an Ollama server. Raises UpstreamDown if the server does not
    answer, WeightsError if it refuses.
    """

    def listed(self) -> Awaitable[tuple[ListedModel, ...]]:
        """List the models that are installed on the server."""

    def show(self, name: str) -> Awaitable[ShownModel]:
        """Return Ollama's description of a model. Raises NotFound."""

    def has_blob(self, digest: str) -> Awaitable[bool]:
        """Whether the server has stored a file with this SHA-256 digest."""

    def upload(self, digest: str, path: str, report: Report) -> Awaitable[None]:
        """Send a file to the server and report the progress; the server checks the digest."""

    def create(self, body: Mapping[str, object]) -> Awaitable[None]:
        """Add a model to the server; `body` is the request body of Ollama's `/api/create`."""

    def delete(self, name: str) -> Awaitable[None]:
        """Deletes a model from the Ollama server; does nothing if there is none of this name."""

    def next_token(self, name: str, prompt: str, *, most: int) -> Awaitable[NextToken | None]:
        """Return a model's prediction of the next token after a raw prompt; None if the server
        gives no log-probabilities.
        """

"""Loads a model from its folder, and converts requests to the token ids that it is fed with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mlx.core as mx
from jinja2 import TemplateError
from mlx_lm.utils import get_total_parameters, load

from lull.backends.mlx.model_folder import ModelFolder
from lull.core.chat.messages import Message, Role
from lull.core.errors import EngineError, RequestError
from lull.core.models.engine import GenerateRequest
from lull.engine.answer import AnswerVocabulary


def on_cpu() -> bool:
    """Whether MLX runs on the CPU."""
    return bool(mx.default_device().type == mx.DeviceType.cpu)


def load_model(folder: ModelFolder, *, window_tokens: int | None) -> LoadedModel:
    """Load a model folder for inference, without running any code that the folder contains.

    Raises EngineError if that fails.
    """
    try:
        model, tokenizer = load(str(folder.path))
    except (ValueError, KeyError, TypeError, OSError, RuntimeError, ImportError) as error:
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        raise EngineError(
            f"The model in {folder.path} cannot be loaded: “{reason[0][:300]}”.",
            hint="Choose a model in MLX format, such as one of the mlx-community ones.",
        ) from error
    if on_cpu():
        # Half precision is emulated on the CPU and about twenty times slower.
        model.set_dtype(mx.float32)
    mx.eval(model.parameters())
    model.eval()
    window = min(folder.window_tokens, window_tokens or folder.window_tokens)
    return LoadedModel(folder=folder, model=model, tokenizer=tokenizer, window_tokens=window)


@dataclass(frozen=True, kw_only=True)
class LoadedModel:
    """A model that the inference engine has loaded, with its tokenizer."""

    folder: ModelFolder
    model: Any
    tokenizer: Any
    window_tokens: int

    @cached_property
    def parameters(self) -> int:
        """Number of the model's weights."""
        return int(get_total_parameters(self.model))

    @cached_property
    def vocabulary(self) -> AnswerVocabulary:
        """The parts of the tokenizer with which tokens become text: decoder, end tokens, size."""
        return AnswerVocabulary(
            decode=self.decode,
            end_ids=frozenset(self.tokenizer.eos_token_ids),
            size=len(self.tokenizer),
        )

    def decode(self, ids: Sequence[int]) -> str:
        """Turn token ids into text."""
        text = self.tokenizer.decode(list(ids), clean_up_tokenization_spaces=False)
        return str(text)

    def prompt_ids(self, request: GenerateRequest) -> list[int]:
        """Return a request's prompt as token ids.

        Raises RequestError (400) for a prompt that is empty, too long, not valid text, or has ids
        outside the vocabulary.
        """
        ids = self._prompt_ids(request)
        if not ids:
            raise RequestError("The prompt is empty.", status=400)
        if min(ids) < 0 or max(ids) >= self.vocabulary.size:
            raise RequestError("The prompt holds token ids that the model lacks.", status=400)
        if len(ids) >= self.window_tokens:
            raise RequestError(
                f"The prompt has {len(ids)} tokens; the model's window is {self.window_tokens}, "
                "and an answer needs room in it.",
                status=400,
                hint="Start a new conversation, or send less.",
            )
        return ids

    def _prompt_ids(self, request: GenerateRequest) -> list[int]:
        if request.prompt_ids:
            return list(request.prompt_ids)
        try:
            if request.prompt is not None:
                return list(self.tokenizer.encode(request.prompt))
            return self._templated(request.messages)
        except (TypeError, UnicodeError) as error:
            raise RequestError("The prompt is not valid Unicode text.", status=400) from error

    def _templated(self, messages: Sequence[Message]) -> list[int]:
        if not self.tokenizer.has_chat_template:
            raise RequestError("This model has no chat template; send a raw prompt.", status=400)
        said = [_said(message) for message in messages]
        try:
            text = self.tokenizer.apply_chat_template(
                said, add_generation_prompt=True, tokenize=False
            )
        except (TemplateError, TypeError, ValueError, KeyError, AttributeError) as error:
            raise RequestError(
                f"The model's chat template refuses these messages: {error}", status=400
            ) from error
        return list(self.tokenizer.encode(text, add_special_tokens=False))


def _said(message: Message) -> dict[str, Any]:
    """Convert a message to the form that chat templates expect."""
    said: dict[str, Any] = {"role": message.role.value, "content": message.text}
    if message.tool_calls:
        said["tool_calls"] = [
            {
                "type": "function",
                "id": call.id,
                "function": {"name": call.name, "arguments": _arguments(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.role is Role.TOOL:
        said |= {"tool_call_id": message.tool_call_id, "name": message.tool_call_id}
    return said


def _arguments(text: str) -> Any:
    """Parse a tool call's arguments for the template; invalid JSON stays text."""
    try:
        return json.loads(text)
    except ValueError:
        return text

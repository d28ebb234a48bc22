"""Answers chat requests with Lull's own inference engine, in the way Ollama would.

A chat request becomes a GenerateRequest, and the engine's chunks become the dialect's bytes. What
the engine cannot do (tools, thinking, grammars) is refused in Ollama's wording before anything is
generated. When the client disconnects, the stream is closed, which stops the engine at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from enum import Enum
from functools import partial
from itertools import count
from typing import Final

from multidict import CIMultiDict

from lull.core.chat.messages import (
    ChatRequest,
    Finish,
    Message,
    MessagePart,
    PartKind,
    Role,
    Sampling,
    text_message,
)
from lull.core.errors import EngineDown, EngineError, LullError, RequestError
from lull.core.models.engine import Chunk, Engine, GenerateRequest
from lull.core.models.local_model import LocalModel
from lull.core.ports import Clock
from lull.core.skills.prompt_block import CLOSING, OPENING
from lull.service.builtin.answer import AnswerBytes, close, complete_answer
from lull.service.builtin.names import parse_name
from lull.service.builtin.routes import EngineModelList, ServedModel, in_thread_if_long
from lull.service.builtin.window import LONGEST_TOKEN, drop_oldest_to_fit
from lull.service.proxy.dialects.base import (
    AnswerFacts,
    AnswerWriter,
    Dialect,
    EngineRequestOptions,
    LoadRequest,
)
from lull.service.proxy.forward import ProxyAnswer

_OLLAMA_DEFAULTS: Final = Sampling(temperature=0.8, top_p=0.9, top_k=40)
_OPENAI_DEFAULTS: Final = Sampling(temperature=1.0, top_p=1.0, top_k=40)
"""Ollama's defaults for OpenAI clients.

Unlike in Ollama, the model's own sampling settings take precedence, because the built-in model has
one right answer (docs/adr/0007).
"""
_UNCACHED: Final = ("/v1/responses", "/v1/messages")
"""Routes whose event streams carry `Cache-Control: no-cache`."""
_EMPTY_ANSWER: Final = Chunk(text="", finish=Finish.STOP)


class WhichAdapter(Enum):
    """Default value of an argument that names a LoRA adapter: the caller names none, so the adapter
    in use answers the request.
    """

    PUBLISHED = "published"


class EngineModels(EngineModelList):
    """Answers chat requests for the models that Lull's own engine serves; its base class
    `EngineModelList` lists them.
    """

    def __init__(self, *, clock: Clock, on_gpu: bool = False) -> None:
        super().__init__(clock=clock, on_gpu=on_gpu)
        self._numbers = count(1)

    async def answer(
        self,
        dialect: Dialect,
        body: bytes,
        request: ChatRequest | None = None,
        *,
        adapter: WhichAdapter | str | None = WhichAdapter.PUBLISHED,
    ) -> ProxyAnswer:
        """Answer one chat request with Lull's own inference engine.

        `body` is what an upstream would get, including the skills' texts.

        `request` is the parsed body, if the caller already has it. `adapter` is the version of the
        LoRA adapter that answers, or None for the base model; by default the adapter in use
        answers. Pass the version that is recorded with the answer: then it stays true even if
        another adapter is promoted in between.

        Never raises for errors of the client or the engine: those become answers. Cancelling this
        call, or closing the answer's `chunks`, cancels the engine.
        """
        try:
            if request is None:
                request = await in_thread_if_long(body, partial(dialect.read_request, body))
            served = self.served(request.model)
            ask = await in_thread_if_long(body, partial(dialect.read_engine_options, body))
            _refuse_unable(request, ask, served.model)
            version = served.adapter if isinstance(adapter, WhichAdapter) else adapter
            asked, prompt_ids = await _engine_request(dialect, request, ask, served, version)
            facts = self._facts(request, prompt_ids)
            writer = await in_thread_if_long(body, partial(dialect.writer, body, request, facts))
            if ask.idle:
                return _idle(dialect, writer)
            return await _answer(dialect, served.engine, asked, writer, stream=request.stream)
        except RequestError as error:
            return _refusal(dialect, error.status, error.detail)
        except EngineDown as error:
            return _refusal(dialect, 503, _sentence(error))
        except EngineError as error:
            return _refusal(dialect, 500, _sentence(error))

    def _facts(self, request: ChatRequest, prompt_ids: tuple[int, ...]) -> AnswerFacts:
        return AnswerFacts(
            model=request.model,
            at=self._clock.now(),
            number=next(self._numbers),
            prompt_ids=prompt_ids,
        )


def _refuse_unable(request: ChatRequest, ask: EngineRequestOptions, model: LocalModel) -> None:
    """Raise RequestError for a request that Lull's own engine cannot serve."""
    name = parse_name(model.name)
    full = name.full if name else model.name
    if request.tools:
        raise RequestError(f"{full} does not support tools", status=400)
    if ask.insert:
        raise RequestError(f"{full} does not support insert", status=400)
    if ask.think:
        raise RequestError(f'"{request.model}" does not support thinking', status=400)
    if ask.template:
        raise RequestError(
            f'"{request.model}" runs in Lull\'s own engine and keeps its own template', status=400
        )
    if request.format:
        _refuse_format(request)


def _refuse_format(request: ChatRequest) -> None:
    if request.format != '"json"' and not request.format.startswith("{"):
        shown = request.format.replace("\\", "\\\\").replace('"', '\\"')
        raise RequestError(
            f'invalid format: "{shown}"; expected "json" or a valid JSON Schema object', status=500
        )
    raise RequestError(
        f'"{request.model}" does not support structured output: '
        "Lull's own engine cannot hold an answer to JSON or a schema",
        status=400,
    )


async def _engine_request(
    dialect: Dialect,
    request: ChatRequest,
    ask: EngineRequestOptions,
    served: ServedModel,
    adapter: str | None,
) -> tuple[GenerateRequest, tuple[int, ...]]:
    """Build the engine's request; also return the prompt's token ids if the answer must contain
    these.
    """
    asked = GenerateRequest(
        sampling=_with_defaults(dialect, request.sampling, served.model.sampling),
        adapter=adapter,
        logprobs=0 if ask.logprobs is None and ask.gives_context else ask.logprobs,
    )
    if ask.idle:
        if ask.idle is LoadRequest.LOAD:  # asking for its status would not load it
            await served.engine.tokenize(GenerateRequest(prompt="."))
        return asked, ()
    if ask.raw:
        return replace(asked, prompt=request.messages[-1].text), ()
    joint = "\n\n" if dialect.name == "openai" else ""
    messages = tuple(_plain(message, joint) for message in request.messages)
    if served.system and not any(one.role is Role.SYSTEM for one in messages):
        messages = (text_message(Role.SYSTEM, served.system), *messages)
    _refuse_endless(messages, served.model)
    asked = replace(asked, messages=_block_apart(messages))
    if ask.truncate:
        asked = await drop_oldest_to_fit(
            served.engine, asked, window_tokens=served.model.window_tokens
        )
    if not ask.gives_context:
        return asked, ()
    ids = (*ask.context, *await served.engine.tokenize(asked))
    return replace(asked, messages=(), prompt_ids=ids), ids


def _refuse_endless(messages: tuple[Message, ...], model: LocalModel) -> None:
    """Raise RequestError if the newest message cannot fit the context window, whatever the
    tokenizer.

    Tokenizing megabytes just to find out would delay other requests.
    """
    most = model.window_tokens * LONGEST_TOKEN
    size = len(messages[-1].text) if messages else 0
    if size > most:
        raise RequestError(
            f"the newest message has {size} characters;"
            f" the window of {model.name} has {model.window_tokens} tokens",
            status=400,
        )


def _block_apart(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Move a leading prompt block of a plain completion into a system message.

    A plain completion has no system text, so the skills stand in front of its prompt.
    """
    first = messages[0] if messages else None
    if first is None or first.role is not Role.USER or not first.text.startswith(OPENING):
        return messages
    block, _, rest = first.text.partition(CLOSING)
    prompt = text_message(Role.USER, rest.removeprefix("\n\n"))
    return (text_message(Role.SYSTEM, block + CLOSING), prompt, *messages[1:])


def _plain(message: Message, joint: str) -> Message:
    """Join a message's text parts to one, as Ollama does; images are dropped."""
    spoken = [p.text for p in message.parts if p.kind in (PartKind.TEXT, PartKind.TOOL_RESULT)]
    part = MessagePart(kind=PartKind.TEXT, text=joint.join(spoken))
    return replace(message, parts=(part,))


def _with_defaults(dialect: Dialect, wanted: Sampling, own: Sampling) -> Sampling:
    """Return the sampling parameters by precedence: the request, the model, Ollama's defaults for
    the route.
    """
    usual = _OPENAI_DEFAULTS if dialect.name == "openai" else _OLLAMA_DEFAULTS
    return wanted.or_else(own, usual)


def served_sampling(model: LocalModel) -> Sampling:
    """Return the default sampling parameters of a model in answers to requests in Ollama's own
    format: the model's own, else Ollama's; the client's settings take precedence.
    """
    return model.sampling.or_else(_OLLAMA_DEFAULTS)


def _idle(dialect: Dialect, writer: AnswerWriter) -> ProxyAnswer:
    return complete_answer(200, _headers(dialect, writer), b"".join(writer.write(_EMPTY_ANSWER)))


async def _answer(
    dialect: Dialect, engine: Engine, asked: GenerateRequest, writer: AnswerWriter, *, stream: bool
) -> ProxyAnswer:
    chunks = engine.generate(asked)
    if not stream:
        return await _whole(dialect, chunks, writer)
    try:
        # Wait for the first chunk before sending the status, so that an engine that is down
        # gives a 503 instead of a broken stream.
        first = await anext(chunks)
    except StopAsyncIteration:
        raise EngineError("The engine gave no answer.") from None
    except BaseException:
        await close(chunks)
        raise
    return ProxyAnswer(
        200, CIMultiDict(_headers(dialect, writer)), AnswerBytes(chunks, first, writer)
    )


async def _whole(
    dialect: Dialect, chunks: AsyncIterator[Chunk], writer: AnswerWriter
) -> ProxyAnswer:
    said: list[bytes] = []
    begun = False
    try:
        async for chunk in chunks:
            begun = True
            said += writer.write(chunk)
    except EngineError as error:
        if not begun:
            raise
        return _refusal(dialect, 500, _broken(error.detail))
    finally:
        await close(chunks)
    if not said:
        return _refusal(dialect, 500, _broken("unexpected EOF"))
    return complete_answer(200, _headers(dialect, writer), b"".join(said))


def _broken(detail: str) -> str:
    return f"an error was encountered while running the model: {detail}"


def _headers(dialect: Dialect, writer: AnswerWriter) -> dict[str, str]:
    headers = {"Content-Type": writer.content_type}
    if dialect.route in _UNCACHED and writer.content_type == "text/event-stream":
        headers["Cache-Control"] = "no-cache"
    return headers


def _refusal(dialect: Dialect, status: int, message: str) -> ProxyAnswer:
    native = dialect.name == "ollama"
    kind = "application/json; charset=utf-8" if native else "application/json"
    return complete_answer(
        status, {"Content-Type": kind}, dialect.error(status, message), error=True
    )


def _sentence(error: LullError) -> str:
    return f"{error.detail} {error.hint}".strip()

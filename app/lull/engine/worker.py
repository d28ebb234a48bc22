"""The only thread of the inference engine that uses MLX: handles request frames (messages from
Lull's service) between decoding rounds (a round adds one token to each answer), and sends results.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue

from lull.contract.engine_frames import (
    Frame,
    MemoryLimits,
    chunk_to_wire,
    error_to_wire,
    request_from_wire,
)
from lull.core.chat.messages import Sampling
from lull.core.errors import LullError, RequestError
from lull.core.models.engine import Chunk, EngineStatus, GenerateRequest
from lull.engine.adapters import AdapterSwitcher
from lull.engine.answer import GeneratedAnswer
from lull.engine.batcher import Batcher
from lull.engine.divergence import AnswerLikelihood, Divergence
from lull.engine.memory import EngineMemory
from lull.engine.model import LoadedModel
from lull.engine.penalties import penalties_of
from lull.engine.sampling import SamplingParams
from lull.engine.text import AnswerText

FrameInbox = SimpleQueue[Frame | None]
"""Queue of received frames; None in it means that the other side has closed the connection."""
_COMPARE_SLICE_TOKENS = 64
"""Tokens of an answer that is compared or measured, computed between two rounds."""


class Worker:
    """Handles the request frames (messages from Lull's service) that the inference engine gets, and
    decodes answers in rounds of one token for each answer.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        *,
        shelf: AdapterSwitcher,
        batcher: Batcher,
        memory: EngineMemory,
        send: Callable[[Frame], None],
        random_seed: Callable[[], int],
    ) -> None:
        self._loaded = loaded
        self._shelf = shelf
        self._batcher = batcher
        self._memory = memory
        self._send = send
        self._random_seed = random_seed
        self._comparing: deque[Divergence | AnswerLikelihood] = deque()

    def run(self, inbox: FrameInbox) -> None:
        """Handle request frames (messages from Lull's service) until the service closes the
        connection, and generate answers in between.
        """
        while True:
            frame = self._next(inbox)
            if frame is None:
                return
            if frame:
                self._handle(frame)
            else:
                self._work()

    def _work(self) -> None:
        """Run one round of answers and one slice of a comparison."""
        if self._batcher.in_flight:
            self._batcher.round()
        if self._comparing and self._comparing[0].step():
            self._comparing.popleft()

    def _next(self, inbox: FrameInbox) -> Frame | None:
        """Return the next frame; an empty one when there is none but work to do."""
        try:
            return inbox.get(block=not self._batcher.in_flight and not self._comparing)
        except Empty:
            return {}

    def _handle(self, frame: Frame) -> None:
        try:
            result = self._answer(frame)
        except LullError as error:
            self._send({"op": "error", "id": frame["id"], "error": error_to_wire(error)})
        else:
            if result is not None:
                self._send({"op": "result", "id": frame["id"], "result": result})

    def _answer(self, frame: Frame) -> Frame | None:
        """Handle a frame; return its result, or None when it comes later or not at all."""
        match frame["op"]:
            case "generate":
                request = request_from_wire(frame["request"])
                self._batcher.add(self._begin(frame["id"], request))
                return None
            case "cancel":
                self._batcher.cancel(frame["id"])
                self._comparing = deque(c for c in self._comparing if c.id != frame["id"])
                return None
            case "divergence":
                self._comparing.append(self._compare(frame))
                return None
            case "answer_logprobs":
                self._comparing.append(self._likelihood(frame))
                return None
            case "tokenize":
                return {"ids": self._loaded.prompt_ids(request_from_wire(frame["request"]))}
            case "load_adapter":
                self._shelf.load(frame["version"], Path(frame["folder"]))
                self._batcher.forget_prefixes()
            case "drop_adapter":
                self._shelf.drop(frame["version"])
                self._batcher.forget_prefixes()
            case "set_limits":
                self._memory.set(MemoryLimits(**frame["limits"]))
            case "status":
                return asdict(self._status())
        return {}

    def _compare(self, frame: Frame) -> Divergence:
        prompt, ids = list(frame["prompt_ids"]), list(frame["ids"])
        if not ids:
            raise RequestError("There is no answer to compare.", status=400)
        prompts = (prompt, list(frame["against_prompt_ids"] or prompt))
        for one in prompts:
            self._check_fits(one, ids)
        return Divergence(
            self._loaded.model,
            self._shelf,
            id=frame["id"],
            prompts=prompts,
            answer=ids,
            adapters=(self._shelf.get(frame["adapter"]), self._shelf.get(frame["against"])),
            slice_tokens=_COMPARE_SLICE_TOKENS,
            done=lambda nats: self._send(
                {"op": "result", "id": frame["id"], "result": {"nats": nats}}
            ),
        )

    def _likelihood(self, frame: Frame) -> AnswerLikelihood:
        prompt, ids = list(frame["prompt_ids"]), list(frame["ids"])
        if not ids:
            raise RequestError("There is no answer to compare.", status=400)
        self._check_fits(prompt, ids)
        return AnswerLikelihood(
            self._loaded.model,
            self._shelf,
            id=frame["id"],
            prompt=prompt,
            answer=ids,
            adapter=self._shelf.get(frame["adapter"]),
            slice_tokens=_COMPARE_SLICE_TOKENS,
            done=lambda logs: self._send(
                {"op": "result", "id": frame["id"], "result": {"logprobs": logs}}
            ),
        )

    def _check_fits(self, prompt: list[int], ids: list[int]) -> None:
        """Raise RequestError if a prompt is empty, or too long with its answer for the window."""
        self._loaded.prompt_ids(GenerateRequest(prompt_ids=tuple(prompt)))
        self._loaded.prompt_ids(GenerateRequest(prompt_ids=(*prompt, *ids[:-1])))

    def _begin(self, request_id: str, request: GenerateRequest) -> GeneratedAnswer:
        prompt = self._loaded.prompt_ids(request)
        sampling = request.sampling
        left_tokens = self._loaded.window_tokens - len(prompt)
        return GeneratedAnswer(
            id=request_id,
            prompt=prompt,
            adapter=self._shelf.get(request.adapter),
            draw=self._draw(sampling),
            max_tokens=min(left_tokens, _at_least_one(sampling.max_tokens) or left_tokens),
            logprobs=request.logprobs,
            text=AnswerText(self._loaded.decode, sampling.stop),
            vocabulary=self._loaded.vocabulary,
            send=self._send_chunk,
        )

    def _draw(self, sampling: Sampling) -> SamplingParams:
        """The request's sampling; unset parameters leave the model's distribution unchanged.

        Defaults of a client API are filled in before the engine sees the request.
        """
        temperature = 1.0 if sampling.temperature is None else sampling.temperature
        top_p = 1.0 if sampling.top_p is None else sampling.top_p
        if not temperature >= 0 or not 0 <= top_p <= 1:
            raise RequestError(
                f"The temperature {temperature} or top_p {top_p} is out of range.", status=400
            )
        seed = self._random_seed() if sampling.seed is None else sampling.seed
        return SamplingParams(
            seed=seed,
            temperature=temperature,
            top_p=top_p,
            top_k=sampling.top_k or 0,
            penalties=penalties_of(sampling),
        )

    def _send_chunk(self, request_id: str, chunk: Chunk) -> None:
        self._send({"op": "chunk", "id": request_id, "chunk": chunk_to_wire(chunk)})

    def _status(self) -> EngineStatus:
        return EngineStatus(
            loaded=True,
            adapters=self._shelf.versions,
            in_flight=self._batcher.in_flight,
            window_tokens=self._loaded.window_tokens,
            parameters=self._loaded.parameters,
            memory_mb=self._memory.used_mb(),
            size_bytes=self._loaded.folder.size_bytes,
            decoded_tokens=self._batcher.decoded,
        )


def _at_least_one(max_tokens: int | None) -> int | None:
    if max_tokens is not None and max_tokens < 1:
        raise RequestError(f"“max_tokens” is {max_tokens}; it must be at least 1.", status=400)
    return max_tokens

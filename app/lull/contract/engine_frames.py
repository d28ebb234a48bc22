"""The wire protocol between the service and the engine (the process that runs models with MLX),
over their socket pair.

A frame is a four-byte big-endian length, then that many bytes of UTF-8 JSON holding one object.
Both ends come from the same release, so there is no version field; a frame that cannot be
understood is an error and ends the connection.

To the engine; the service chooses `id`:

    {"op": "generate", "id", "request"}       answered by chunks, the last one with `finish`
        {"op": "cancel", "id"}                    no reply; no chunk is started once it is read
    {"op": "tokenize", "id", "request"}       result {"ids": [...]}
    {"op": "divergence", "id", "prompt_ids", "ids", "adapter", "against", "against_prompt_ids"}
                                              result {"nats": [...]}
    {"op": "answer_logprobs", "id", "prompt_ids", "ids", "adapter"}
                                              result {"logprobs": [...]}
    {"op": "load_adapter", "id", "version", "folder"}    result {}
    {"op": "drop_adapter", "id", "version"}   result {}
    {"op": "set_limits", "id", "limits"}      result {}
    {"op": "status", "id"}                    result: an EngineStatus

From the engine:

        {"op": "ready"}                           once, when the model is loaded
        {"op": "failed", "error"}                 instead of ready; the engine then exits
    {"op": "chunk", "id", "chunk"}
    {"op": "result", "id", "result"}
    {"op": "error", "id", "error"}            ends that request

`divergence` asks for the KL divergence of `adapter` from `against` (null: the base model), in nats
at each token of the answer `ids`; where `against_prompt_ids` is not empty, `against` reads that
prompt instead. `answer_logprobs` asks for the natural log-probability that `adapter` (null: the
base model) gives each token of the answer `ids` after the prompt. A whole prompt or answer must fit
into one frame; `MAX_FRAME_BYTES` only catches a corrupt length.
"""

from __future__ import annotations

import asyncio
import json
import struct
from dataclasses import asdict, dataclass
from socket import socket
from typing import Any

from lull.core.chat.messages import Finish, Message, MessagePart, PartKind, Role, Sampling, ToolCall
from lull.core.errors import EngineError, LullError, RequestError
from lull.core.models.engine import Chunk, EngineStatus, GenerateRequest, Token

Frame = dict[str, Any]

MAX_FRAME_BYTES = 256 * 1024 * 1024
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLimits:
    """How much memory the engine (the process that runs models with MLX) may use, in MB. None keeps
    MLX's own default.

    On a Mac the GPU shares this memory, and MLX's defaults leave little for other programs.
    """

    memory_mb: int | None = None
    """Memory limit in MB at which MLX frees its cache and new requests wait."""
    cache_mb: int | None = 512
    """Most MB of freed buffers that MLX keeps for reuse."""
    wired_mb: int | None = None
    """Most MB of memory pinned for the GPU; used only with Metal."""


def encode(frame: Frame) -> bytes:
    """Encode a message to or from the inference engine as bytes: its length, then JSON."""
    body = json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    return _LENGTH.pack(len(body)) + body


async def read_frame(reader: asyncio.StreamReader) -> Frame | None:
    """Read the next frame (one JSON message of the engine's protocol) from a stream; None when it
    has ended or broken off in the middle of a frame.
    """
    try:
        length = _checked(await reader.readexactly(_LENGTH.size))
        return _parsed(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def receive_frame(sock: socket) -> Frame | None:
    """Read the next frame (one JSON message of the engine's protocol) from a blocking socket; None
    when it has ended or broken off in the middle of a frame.
    """
    head = _receive(sock, _LENGTH.size)
    body = _receive(sock, _checked(head)) if head else None
    return _parsed(body) if body else None


def _receive(sock: socket, size: int) -> bytes | None:
    pieces = bytearray()
    while len(pieces) < size:
        try:
            piece = sock.recv(min(size - len(pieces), 1 << 20))
        except ConnectionError:
            return None
        if not piece:
            return None
        pieces += piece
    return bytes(pieces)


def _checked(head: bytes) -> int:
    (length,) = _LENGTH.unpack(head)
    if not 0 < length <= MAX_FRAME_BYTES:
        raise EngineError(f"a frame of {length} bytes came over the engine's socket")
    return int(length)


def _parsed(body: bytes) -> Frame:
    frame = json.loads(body.decode("utf-8", "surrogatepass"))
    if not isinstance(frame, dict):
        raise EngineError("a frame on the engine's socket was not a JSON object")
    return frame


def request_to_wire(request: GenerateRequest) -> Frame:
    """Convert a request for an answer to the form that is sent to the inference engine."""
    return asdict(request)


def request_from_wire(wire: Frame) -> GenerateRequest:
    """Convert a request for an answer back from the form in which the inference engine gets it."""
    return GenerateRequest(
        messages=tuple(_message(message) for message in wire["messages"]),
        prompt=wire["prompt"],
        prompt_ids=tuple(wire["prompt_ids"]),
        sampling=Sampling(**{**wire["sampling"], "stop": tuple(wire["sampling"]["stop"])}),
        adapter=wire["adapter"],
        logprobs=wire["logprobs"],
    )


def _message(wire: Frame) -> Message:
    return Message(
        role=Role(wire["role"]),
        parts=tuple(MessagePart(kind=PartKind(p["kind"]), text=p["text"]) for p in wire["parts"]),
        tool_calls=tuple(ToolCall(**call) for call in wire["tool_calls"]),
        tool_call_id=wire["tool_call_id"],
    )


def chunk_to_wire(chunk: Chunk) -> Frame:
    """Convert a chunk of a model's answer to a frame (a protocol message), without empty fields,
    because most chunks carry only text.
    """
    wire: Frame = {"text": chunk.text}
    if chunk.tokens:
        wire["tokens"] = [[t.id, t.logprob, t.text, t.top] for t in chunk.tokens]
    if chunk.finish is not None:
        wire |= {
            "finish": chunk.finish,
            "prompt_tokens": chunk.prompt_tokens,
            "completion_tokens": chunk.completion_tokens,
            "prompt_s": chunk.prompt_s,
            "decode_s": chunk.decode_s,
        }
    return wire


def chunk_from_wire(wire: Frame) -> Chunk:
    """Convert a piece of an answer back from the form in which the inference engine sends it."""
    tokens = tuple(
        Token(id=number, logprob=logprob, text=text, top=tuple((i, p, s) for i, p, s in top))
        for number, logprob, text, top in wire.get("tokens", ())
    )
    return Chunk(
        text=wire["text"],
        tokens=tokens,
        finish=Finish(wire["finish"]) if "finish" in wire else None,
        prompt_tokens=wire.get("prompt_tokens", 0),
        completion_tokens=wire.get("completion_tokens", 0),
        prompt_s=wire.get("prompt_s", 0.0),
        decode_s=wire.get("decode_s", 0.0),
    )


def status_from_wire(wire: Frame) -> EngineStatus:
    """Convert the inference engine's status back from the form in which it is sent."""
    return EngineStatus(**{**wire, "adapters": tuple(wire["adapters"])})


def error_to_wire(error: LullError) -> Frame:
    """Convert an error to the form in which the inference engine sends it."""
    status = error.status if isinstance(error, RequestError) else None
    return {"detail": error.detail, "hint": error.hint, "status": status}


def error_from_wire(wire: Frame) -> LullError:
    """Convert an error back from the form in which the inference engine sends it."""
    if wire["status"] is not None:
        return RequestError(wire["detail"], status=wire["status"], hint=wire["hint"])
    return EngineError(wire["detail"], hint=wire["hint"])

"""What the service and the engine say to each other over their socket pair.

A frame is four bytes of length, big-endian, and that many bytes of UTF-8 JSON: one object. The
two ends are of one release, so there is no version to agree on; a frame that is not understood
is a fault and ends the connection.

To the engine, `id` being chosen by the service:

    {"op": "generate", "id", "request"}       answered by chunks, the last one with `finish`
    {"op": "cancel", "id"}                    no answer; no chunk is begun after it is read
    {"op": "tokenize", "id", "request"}       result {"ids": [...]}
    {"op": "divergence", "id", "prompt_ids", "ids", "adapter", "against"}    result {"nats": [...]}
    {"op": "load_adapter", "id", "version", "folder"}    result {}
    {"op": "drop_adapter", "id", "version"}   result {}
    {"op": "set_limits", "id", "limits"}      result {}
    {"op": "status", "id"}                    result: an EngineStatus

From the engine:

    {"op": "ready"}                           once, when the model is loaded
    {"op": "failed", "error"}                 instead of it; the engine then leaves
    {"op": "chunk", "id", "chunk"}
    {"op": "result", "id", "result"}
    {"op": "error", "id", "error"}            ends that request

A whole prompt or answer must fit a frame; `MAX_FRAME_BYTES` only guards against a torn stream.
"""

from __future__ import annotations

import asyncio
import json
import struct
from dataclasses import asdict, dataclass
from socket import socket
from typing import Any

from lull.core.errors import EngineError, LullError, RequestError
from lull.core.messages import Finish, Message, Part, PartKind, Role, Sampling, ToolCall
from lull.core.ports import Chunk, EngineStatus, GenerateRequest, Token

Frame = dict[str, Any]

MAX_FRAME_BYTES = 256 * 1024 * 1024
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLimits:
    """What the engine may take. None: MLX's own default stands.

    On a Mac the memory is the GPU's as well, and MLX's defaults leave the other programs little.
    """

    memory_mb: int | None = None
    """MLX frees its cache, and new requests wait, rather than pass this."""
    cache_mb: int | None = 512
    """Freed buffers that are kept for the next step."""
    wired_mb: int | None = None
    """Pinned for the GPU; only where there is Metal."""


def encode(frame: Frame) -> bytes:
    body = json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    return _LENGTH.pack(len(body)) + body


async def read_frame(reader: asyncio.StreamReader) -> Frame | None:
    """The next frame, or None at the end of the stream, also of one torn by a crash."""
    try:
        length = _checked(await reader.readexactly(_LENGTH.size))
        return _parsed(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def receive_frame(sock: socket) -> Frame | None:
    """`read_frame` for a blocking socket."""
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
    return asdict(request)


def request_from_wire(wire: Frame) -> GenerateRequest:
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
        parts=tuple(Part(kind=PartKind(p["kind"]), text=p["text"]) for p in wire["parts"]),
        tool_calls=tuple(ToolCall(**call) for call in wire["tool_calls"]),
        tool_call_id=wire["tool_call_id"],
    )


def chunk_to_wire(chunk: Chunk) -> Frame:
    """Most chunks carry text alone, so the rest is left out where it says nothing."""
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
    return EngineStatus(**{**wire, "adapters": tuple(wire["adapters"])})


def error_to_wire(error: LullError) -> Frame:
    status = error.status if isinstance(error, RequestError) else None
    return {"detail": error.detail, "hint": error.hint, "status": status}


def error_from_wire(wire: Frame) -> LullError:
    if wire["status"] is not None:
        return RequestError(wire["detail"], status=wire["status"], hint=wire["hint"])
    return EngineError(wire["detail"], hint=wire["hint"])

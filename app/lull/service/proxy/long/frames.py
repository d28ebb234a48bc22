"""Defines the messages (frames) between the service and the child process that reads long request
bodies, sent over a socket pair.

A frame is two lengths, a JSON object in ASCII, and data. The service chooses an `id` for each body.
Its requests and their answers:

    {"op": "read", "id", "route", "encoding", "limit", "key", "client"} + the body
        {"id", "outline"} + the links (keyed hashes) of all messages as JSON text, or {"id",
        "refused": [status, detail]}, or {"id", "fault"}. The reader holds the body until "drop"
        and, if that says "kept", until "keep" or "keep_nothing", too.
    {"op": "inject", "id", "system", "model_system", "suffixes", "prefixes"}
        {"id"} + the body with skills, or "refused" with 409 if it has no place for them
    {"op": "plain", "id"}                     {"id"} + the body, unpacked
    {"op": "keep", "id", "tools"} + the links whose messages are wanted, as JSON text
        {"id", "piece"} + a piece, any number of times; then {"id", "kept"} + the tools
    {"op": "keep_nothing", "id"}              no answer; the body is not stored after all
    {"op": "drop", "id", "kept"}              no answer; "kept": whether the body is to be stored

The `id` in an answer is that of the body and the `op`, with a colon between. Both ends are of the
same release. A frame that cannot be parsed ends the connection.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

BodyFrame = dict[str, Any]
LENGTHS: Final = struct.Struct(">IQ")
"""Binary header of each frame: the lengths of the JSON object and of the data."""


def head(frame: BodyFrame, data: bytes = b"") -> bytes:
    """Return the beginning of a frame (a message between the service and the process that reads
    long bodies): the lengths of the JSON object and of the data, then the JSON object.
    """
    body = json.dumps(frame, separators=(",", ":")).encode()
    return LENGTHS.pack(len(body), len(data)) + body

"""The process that runs the feedback reader, a small model that classifies users' messages; started
as `python -m lull.engine.reader.main`, or as `lull read-feedback` in the packaged app.

It classifies what users' messages say about the answers before them. It runs at a lower priority
than model servers, so that answers get the processor first, and frees all its memory by ending.
It is a child of the service, like the inference engine, and uses the engine's frames:

    {"op": "read", "id", "exchanges": [{"asked", "answer", "said"}]}

is answered with the result `{"findings": [...]}`, one entry per exchange. It handles one frame at a
time; to stop it, end the process.
"""

from __future__ import annotations

import argparse
import logging
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lull.backends.mlx.model_folder import check_model_folder
from lull.backends.reader.files import read_files
from lull.config.dies_first import die_first
from lull.contract.engine_frames import encode, error_to_wire, receive_frame
from lull.core.errors import EngineError, ResourceError
from lull.core.feedback.exchange import Exchange
from lull.engine.main import leave_with_parent, log_as_json, prepare_imports

_log = logging.getLogger("lull.engine")

NICENESS: Final = 5
"""Niceness added to the process. At 19 a machine with eight busy programs left it no time: no
correction was read within two minutes.
"""
_CACHE_MB: Final = 64


def main(argv: Sequence[str] | None = None) -> int:
    """Classify users' messages for the parent process until that ends; return the exit code, 1 if
    the model cannot be loaded.
    """
    arguments = _parser().parse_args(argv)
    die_first()
    log_as_json(sys.stderr)
    leave_with_parent()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    connection = socket.socket(fileno=arguments.socket)
    try:
        _serve(arguments, connection)
    except (EngineError, ResourceError) as error:
        connection.sendall(encode({"op": "failed", "error": error_to_wire(error)}))
        return 1
    except (BrokenPipeError, ConnectionResetError):
        pass  # the parent closed the socket
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lull read-feedback", description="Read what users say about answers."
    )
    parser.add_argument("--socket", type=int, required=True, help="inherited file descriptor")
    parser.add_argument("--base", type=Path, required=True, help="the small model, in MLX format")
    parser.add_argument("--reader", type=Path, required=True, help="reader.json and its weights")
    parser.add_argument("--memory-mb", type=int, default=1024)
    return parser


def _serve(arguments: argparse.Namespace, connection: socket.socket) -> None:
    check_model_folder(arguments.base)
    files = read_files(arguments.reader)
    prepare_to_read()
    # Imported late: MLX picks its BLAS when it is loaded, and missing files cost no import.
    from lull.contract.engine_frames import MemoryLimits
    from lull.engine.memory import EngineMemory
    from lull.engine.reader.loading import load_reader
    from lull.engine.reader.reading import read

    EngineMemory(MemoryLimits(memory_mb=arguments.memory_mb, cache_mb=_CACHE_MB))
    reader = load_reader(arguments.base, files)
    connection.sendall(encode({"op": "ready"}))
    _log.info("the reader is ready: %d layers", reader.net.shape.layers)
    while (frame := receive_frame(connection)) is not None:
        if frame["op"] == "read":
            exchanges = [Exchange(**one) for one in frame["exchanges"]]
            result = {"findings": read(reader, exchanges)}
            connection.sendall(encode({"op": "result", "id": frame["id"], "result": result}))


def prepare_to_read() -> None:
    """Set up the environment of the process that classifies feedback, so that its linear algebra
    (BLAS) uses one thread.

    Call before anything imports MLX.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    prepare_imports()


if __name__ == "__main__":
    sys.exit(main())

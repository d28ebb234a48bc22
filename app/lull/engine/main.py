"""The inference engine process: `python -m lull.engine.main --socket FD --model FOLDER`.

It is a child of Lull's service. Requests come over an inherited socket, never a port. The parent
holds standard input open; when it closes, the parent has gone and the engine exits at once. Log
lines are JSON on standard error and contain no user text.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import logging
import os
import socket
import sys
import threading
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import IO

from lull.backends.mlx.model_folder import check_model_folder
from lull.config.dies_first import die_first
from lull.config.own_temporary import own_temporary
from lull.contract.engine_frames import (
    Frame,
    MemoryLimits,
    encode,
    error_to_wire,
    receive_frame,
)
from lull.core.errors import EngineError
from lull.engine.blas import name_the_processor

_log = logging.getLogger("lull.engine")


def main(argv: Sequence[str] | None = None) -> int:
    """Load one model and answer the parent process's requests to it until the parent ends or closes
    the connection; return the exit code, 1 if the model cannot be loaded.
    """
    arguments = _parser().parse_args(argv)
    die_first()
    log_as_json(sys.stderr)
    leave_with_parent()
    connection = socket.socket(fileno=arguments.socket)
    try:
        _serve(arguments, connection)
    except EngineError as error:
        connection.sendall(encode({"op": "failed", "error": error_to_wire(error)}))
        return 1
    except (BrokenPipeError, ConnectionResetError):
        pass  # the parent closed the socket
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lull engine", description="Serve an MLX model.")
    parser.add_argument("--socket", type=int, required=True, help="inherited file descriptor")
    parser.add_argument("--model", type=Path, required=True, help="folder in MLX format")
    parser.add_argument("--window-tokens", type=int, help="shorter than the model's own")
    parser.add_argument("--at-once", type=int, default=32, help="answers side by side")
    parser.add_argument("--slice-tokens", type=int, default=256, help="of prompt, a round")
    parser.add_argument("--prefix-cache-mb", type=int, default=512)
    parser.add_argument("--memory-mb", type=int)
    parser.add_argument("--cache-mb", type=int, default=512)
    parser.add_argument("--wired-mb", type=int)
    return parser


def _serve(arguments: argparse.Namespace, connection: socket.socket) -> None:
    folder = check_model_folder(arguments.model)
    prepare_imports()
    # Imported late: MLX picks its BLAS when it is loaded, and a missing model costs no import.
    from lull.engine.adapters import AdapterSwitcher
    from lull.engine.batcher import Batcher
    from lull.engine.memory import EngineMemory
    from lull.engine.model import load_model, on_cpu
    from lull.engine.worker import Worker

    memory = EngineMemory(
        MemoryLimits(
            memory_mb=arguments.memory_mb,
            cache_mb=arguments.cache_mb,
            wired_mb=arguments.wired_mb,
        )
    )
    loaded = load_model(folder, window_tokens=arguments.window_tokens)
    shelf = AdapterSwitcher(loaded.model, f32=on_cpu())
    batcher = Batcher(
        loaded.model,
        shelf,
        most_at_once=arguments.at_once,
        slice_tokens=arguments.slice_tokens,
        prefix_cache_bytes=arguments.prefix_cache_mb * 1024 * 1024,
        has_room=memory.has_room,
    )
    worker = Worker(
        loaded,
        shelf=shelf,
        batcher=batcher,
        memory=memory,
        send=lambda frame: connection.sendall(encode(frame)),
        random_seed=lambda: int.from_bytes(os.urandom(8)),
    )
    inbox: SimpleQueue[Frame | None] = SimpleQueue()
    threading.Thread(target=_receive, args=(connection, inbox), daemon=True).start()
    connection.sendall(encode({"op": "ready"}))
    _log.info("ready: %d parameters", loaded.parameters)
    worker.run(inbox)


def _receive(connection: socket.socket, inbox: SimpleQueue[Frame | None]) -> None:
    try:
        while (frame := receive_frame(connection)) is not None:
            inbox.put(frame)
    finally:
        # Also when memory ran out or a frame was broken: nothing more would ever come.
        inbox.put(None)


def leave_with_parent() -> None:
    """Start a thread that ends the process when standard input closes, because then the parent is
    gone.

    An MLX step cannot be interrupted, so the thread exits the whole process.
    """

    def watch() -> None:
        while os.read(0, 4096):
            pass
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def prepare_imports() -> None:
    """Set the environment variables that the inference engine's libraries read, and load OpenBLAS
    (a fast linear-algebra library).

    Call before importing MLX or transformers.
    """
    os.environ["TMPDIR"] = own_temporary()
    os.environ["HF_HUB_OFFLINE"] = "1"  # models come from disk; never download
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    if sys.platform == "linux":
        # MLX's wheel for Linux bundles reference BLAS, about thirty times slower than OpenBLAS.
        # The first library loaded with global symbols wins.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        name_the_processor()
        try:
            ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)
        except OSError:
            _log.info("no OpenBLAS on this machine: the CPU will be slow")
    warnings.simplefilter("ignore")  # deprecation warnings of libraries


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(
            {"level": record.levelname, "logger": record.name, "message": record.getMessage()}
        )


def log_as_json(stream: IO[str]) -> None:
    """Write the process's log lines and crashes to `stream`, one JSON object per line."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    _log.setLevel(logging.INFO)
    sys.excepthook = _log_crash


def _log_crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Log the crash's location in one line, without the error text: it may quote a prompt."""
    frames = traceback.extract_tb(trace)[-6:]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    _log.critical("%s at %s", kind.__name__, where)


if __name__ == "__main__":
    sys.exit(main())

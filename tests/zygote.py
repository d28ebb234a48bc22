"""Forks `lull` processes from one process (the zygote) that has imported everything already, and
the trainer's processes from another one.

A test run starts Lull more than a thousand times, and each start would import for a second.

The child is what `python -m lull.cli.main` would be, or the trainer's module: it has its own
arguments, environment, folder and streams, and a service ends as the interpreter does. The zygote
speaks to `Forked` over a socket: it receives a request with file descriptors and returns the
process id; the exit status comes over a pipe for each child.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

LULL, TRAINER = "lull.cli.main", "lull.trainer.main"
"""The programs that can be forked: modules with a function `main`."""
OF_THE_START = ("PYTHON", "LC_", "LANG", "LD_")
"""Prefixes of variables that an interpreter reads when it starts: a command that sets one gets a
new interpreter instead of a fork.
"""
_LENGTH = struct.Struct("!I")
_STATUS = struct.Struct("!i")


class Forked(subprocess.Popen[str]):
    """A Popen of `python -m PROGRAM WORDS` whose process is forked from the program's zygote."""

    def _execute_child(
        self,
        args: list[str],
        _executable: Any,
        _preexec_fn: Any,
        _close_fds: Any,
        _pass_fds: Any,
        cwd: str | None,
        env: Mapping[str, str],
        _startupinfo: Any,
        _creationflags: Any,
        _shell: Any,
        *pipes: int,
    ) -> None:
        stdin, _, _, stdout, _, stderr = pipes[:6]
        streams = [given if given != -1 else fd for fd, given in enumerate((stdin, stdout, stderr))]
        zygote = _zygote(args[2])
        self.pid, self._status = zygote.start(args[3:], cwd or str(Path.cwd()), env, streams)
        self._child_created = True
        self._close_pipe_fds(*pipes[:6])

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not _readable(self._status):
            return 0, 0
        data = os.read(self._status, _STATUS.size)
        os.close(self._status)
        return self.pid, _STATUS.unpack(data)[0] if data else signal.SIGKILL

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(False):
            try:
                if self.returncode is None:
                    pid, status = self._try_wait(os.WNOHANG)
                    if pid == self.pid:
                        self._handle_exitstatus(status)
            finally:
                self._waitpid_lock.release()
        return self.returncode


def started(
    words: Sequence[str],
    *,
    env: Mapping[str, str],
    anew: bool = False,
    program: str = LULL,
    **streams: Any,
) -> subprocess.Popen[str]:
    """Start `python -m PROGRAM WORDS`, forked from its zygote if that is equivalent."""
    forked = sys.platform == "linux" and not anew and not _of_the_start(env)
    kind = Forked if forked else subprocess.Popen
    return kind([sys.executable, "-m", program, *words], env=env, text=True, **streams)


def _of_the_start(env: Mapping[str, str]) -> bool:
    return any(
        env.get(name) != os.environ.get(name)
        for name in {*env, *os.environ}
        if name.startswith(OF_THE_START)
    )


def _readable(fd: int) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(fd, selectors.EVENT_READ)
        return bool(selector.select(0))


class _Zygote:
    """The test's side of the zygote: starts it and sends it requests."""

    def __init__(self, program: str) -> None:
        self._one = threading.Lock()
        """Lock, because tests start commands from several threads."""
        self._door, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.zygote", str(theirs.fileno()), program],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )

    def start(
        self, words: list[str], cwd: str, env: Mapping[str, str], streams: list[int]
    ) -> tuple[int, int]:
        status, theirs = os.pipe()
        data = json.dumps({"words": words, "cwd": cwd, "env": dict(env)}).encode()
        with self._one:
            try:
                socket.send_fds(self._door, [_LENGTH.pack(len(data))], [*streams, theirs])
                self._door.sendall(data)
            finally:
                os.close(theirs)
            (pid,) = _LENGTH.unpack(_exactly(self._door, _LENGTH.size))
        return pid, status


_making = threading.Lock()
_made: dict[str, _Zygote] = {}


def _zygote(program: str) -> _Zygote:
    with _making:
        if program not in _made:
            _made[program] = _Zygote(program)
        return _made[program]


def _exactly(door: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = door.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


# In the zygote


def _import_trainer() -> None:
    importlib.import_module("lull.trainer.blas").prepare()  # before MLX is loaded
    for name in ("run", "world"):
        importlib.import_module(f"lull.trainer.{name}")


def _import_everything() -> None:
    for name in ("lull.cli", "lull.service", "lull.loops", "lull.store"):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            importlib.import_module(module.name)
    importlib.import_module("lull.cli.parser.whole").build()


@dataclass(frozen=True, slots=True)
class Request:
    words: list[str]
    cwd: str
    env: dict[str, str]
    streams: list[int]


_statuses: dict[int, int] = {}


def _bury() -> None:
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = found
            with contextlib.suppress(BrokenPipeError):  # the test did not wait for it
                os.write(_statuses[pid], _STATUS.pack(status))
            os.close(_statuses.pop(pid))


def serve(door: socket.socket) -> Request | None:
    """Fork a child for each request. Returns in each child with that child's request, and in the
    zygote with None when the test has gone.
    """
    bell, ring = os.pipe()
    os.set_blocking(ring, False)
    signal.set_wakeup_fd(ring)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with selectors.DefaultSelector() as selector:
        selector.register(door, selectors.EVENT_READ)
        selector.register(bell, selectors.EVENT_READ)
        request = _forked(door, bell, selector)
    signal.set_wakeup_fd(-1)
    door.close()
    for fd in (bell, ring, *_statuses.values()):
        os.close(fd)
    return request


def _forked(door: socket.socket, bell: int, selector: selectors.BaseSelector) -> Request | None:
    while True:
        for key, _ in selector.select():
            if key.fileobj == bell:
                os.read(bell, 4096)
                _bury()
                continue
            head, fds, _, _ = socket.recv_fds(door, _LENGTH.size, 4)
            if not head:
                return None
            *streams, status = fds
            head += _exactly(door, _LENGTH.size - len(head))
            request = json.loads(_exactly(door, *_LENGTH.unpack(head)))
            child = os.fork()
            if child == 0:
                os.close(status)
                return Request(**request, streams=streams)
            _statuses[child] = status
            for stream in streams:
                os.close(stream)
            door.sendall(_LENGTH.pack(child))


def _become(request: Request) -> None:
    """Turn this forked process into the requested command: its streams, folder and arguments."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for fd, stream in enumerate(request.streams):
        os.dup2(stream, fd)
        os.close(stream)
    os.chdir(request.cwd)
    os.environ.clear()
    os.environ.update(request.env)
    time.tzset()
    sys.argv = ["lull", *request.words]
    unbuffered = bool(request.env.get("PYTHONUNBUFFERED"))
    sys.stdin = _text(0, "r", "strict", unbuffered=False)
    sys.stdout = _text(1, "w", "strict", unbuffered=unbuffered)
    sys.stderr = _text(2, "w", "backslashreplace", unbuffered=True)


def _text(fd: int, mode: str, errors: str, *, unbuffered: bool) -> io.TextIOWrapper:
    raw = open(fd, f"{mode}b", closefd=False)  # noqa: SIM115  a stream for life
    return io.TextIOWrapper(
        raw,
        encoding=sys.__stdout__.encoding if sys.__stdout__ else "utf-8",
        errors=errors,
        line_buffering=os.isatty(fd),
        write_through=unbuffered,
    )


def _end(code: int) -> NoReturn:
    """End a command as the interpreter does, but without tearing down the zygote's modules, which
    takes longer than most commands.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        code = 120  # the interpreter's
    os._exit(code)


if __name__ == "__main__":
    run = sys.argv[2]
    {LULL: _import_everything, TRAINER: _import_trainer}[run]()
    gc.freeze()
    asked = serve(socket.socket(fileno=int(sys.argv[1])))
    if asked is not None:
        _become(asked)
        module = importlib.import_module(run)
        if asked.words[:1] == ["serve"]:
            module.entry()
        _end(module.main())

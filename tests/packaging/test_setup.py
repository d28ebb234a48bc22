"""Tests of `make setup`, with small scripts in place of apt and Python.

Without root it does all the rest, it says how far it is, and what was cut off is finished by the
next run.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import psutil
import pytest

from tests.eventually import PATIENCE_S, eventually
from tests.paths import ROOT

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has apt"),
]

HELD = """\
held() { while [ -e "$WORLD/hold-$1" ]; do sleep 0.1; done; }
"""
PYTHON = """\
version=3.11.2
echo "python $*" >>"$WORLD/did"
case "$1 ${2-} ${3-}" in
--version*) echo "Python $version" ;;
*base_prefix*) echo "$version" ;;
*flock*) exec "$REAL_PYTHON" "$@" ;;
*ensurepip*) echo new ;;
*compileall*) sleep "$STEP_S" ;;
"-m venv "*)
    mkdir -p "$3/bin" "$3/lib/python3.11/site-packages"
    sleep "$STEP_S"
    held venv
    cp "$0" "$3/bin/python"
    ;;
"-m pip "*)
    if [ -e "$WORLD/offline" ]; then
        echo "Collecting a"
        echo "WARNING: Retrying after connection broken by 'NewConnectionError'"
        held pip
        exit 1
    fi
    for name in a b c; do
        echo "Collecting $name==1"; sleep "$STEP_S"; held pip
        mkdir -p "${0%/*}/../lib/python3.11/site-packages/$name-1.dist-info"
    done
    echo 'Installing collected packages: a, b, c'
    echo 'pip came to its end' >>"$WORLD/did"
    case "$*" in *--editable*) touch "${0%/*}/lull"; chmod +x "${0%/*}/lull" ;; esac
    ;;
esac
"""
DPKG_QUERY = """\
for name; do
    if [ -e "$WORLD/installed/$name" ]; then echo "installed $name"; fi
done
"""
APT_GET = """\
echo "apt-get $*" >>"$WORLD/did"
if [ -e "$WORLD/offline" ]; then
    case " $* " in
    *' update '*) echo 'W: Failed to fetch: Temporary failure resolving' ;;
    *) echo 'E: Unable to locate package'; exit 100 ;;
    esac
elif [ -e "$WORLD/locked" ]; then
    rm "$WORLD/locked"
    echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 12 (apt-get)'
    exit 100
elif [ -e "$WORLD/cut-off" ]; then
    echo "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct this."
    exit 100
fi
case " $* " in *' install '*)
    echo 'dlstatus:1:50.0000:Retrieving file 1 of 2'
    if [ -e "$WORLD/stalled" ]; then exec sleep 600; fi
    echo 'pmstatus:libgl1:25.0000:Unpacking libgl1'
    sleep "$STEP_S"
    held apt
    for name; do
        case $name in -* | install | *::* | *=*) ;; *) touch "$WORLD/installed/$name" ;; esac
    done ;;
esac
"""
DPKG = 'echo "dpkg $*" >>"$WORLD/did"; rm -f "$WORLD/cut-off"\n'
SYNC = """\
echo "sync with $(cd .venv && echo .lull-*)" >>"$WORLD/did"
sleep "$STEP_S"
"""
SLEEP = f"""\
if [ "$1" = 1 ]; then set -- 0.02; fi
exec {shutil.which("sleep")} "$@"
"""
"""Makes the seconds short that the scripts count: nothing here depends on how long one is."""
DF = """\
echo 'Filesystem 1024-blocks Used Available Capacity Mounted on'
echo "any 0 0 $((${FREE_MB:-9999} * 1024)) 0% /"
"""


@dataclass
class World:
    """A checkout, and a machine whose system commands are small scripts."""

    folder: Path
    root: bool = True
    step_s: float = 0.0
    more: dict[str, str] = field(default_factory=dict)
    """Further variables of the environment."""
    _asked: int = 0

    def __post_init__(self) -> None:
        self.checkout = self.folder / "checkout"
        shutil.copytree(ROOT / "packaging", self.checkout / "packaging")
        shutil.copy(ROOT / "pyproject.toml", self.checkout)
        (self.folder / "installed").mkdir()
        stubs = {"python3": PYTHON, "dpkg-query": DPKG_QUERY, "apt-get": APT_GET, "dpkg": DPKG}
        more = {"sudo": "exit 1\n", "sync": SYNC, "df": DF, "sleep": SLEEP}
        for name, text in {**stubs, **more}.items():
            self._stub(name, text)

    def _stub(self, name: str, text: str) -> None:
        file = self.folder / "bin" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{HELD}{text}")
        file.chmod(0o755)

    def begin(self, *groups: str) -> subprocess.Popen[str]:
        self._stub("id", f"echo {0 if self.root else 1000}\n")
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        environ = {k: v for k, v in os.environ.items() if not k.startswith(("LULL_", "PYTHON"))}
        return subprocess.Popen(
            ["sh", "packaging/setup.sh", *(groups or ("run",))],
            cwd=self.checkout,
            env={
                **environ,
                "PATH": path,
                "WORLD": str(self.folder),
                "STEP_S": str(self.step_s),
                "REAL_PYTHON": sys.executable,
                **self.more,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def setup(self, *groups: str) -> subprocess.CompletedProcess[str]:
        process = self.begin(*groups)
        out, err = process.communicate(timeout=PATIENCE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    @contextmanager
    def holding(self, *steps: str) -> Iterator[None]:
        """Keep these steps (apt, venv, pip) from ending while this context lasts."""
        files = [self.folder / f"hold-{step}" for step in steps]
        for file in files:
            file.touch()
        try:
            yield
        finally:
            for file in files:
                file.unlink(missing_ok=True)

    def did(self) -> list[str]:
        """Return the commands that were called since this was last asked."""
        lines = self.all_it_did()
        new, self._asked = lines[self._asked :], len(lines)
        return new

    def all_it_did(self) -> list[str]:
        file = self.folder / "did"
        text = file.read_text() if file.exists() else ""
        return text[: text.rfind("\n") + 1].splitlines()  # the last may be half written

    def is_ready(self) -> bool:
        return (self.checkout / ".venv" / "bin" / "lull").exists()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_everything_is_installed_and_then_there_is_nothing_to_do(world: World) -> None:
    first = world.setup()
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("Installing system packages: python3 ")
    assert first.stdout.endswith("Ready: .venv/bin/lull\n")
    assert (world.folder / "installed" / "libgl1").exists()
    world.did()
    second = world.setup()
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert [line for line in world.did() if " -c" not in line] == []


def test_who_has_no_root_gets_all_the_rest_and_one_line_at_the_end(world: World) -> None:
    world.root = False
    ran = world.setup()
    assert ran.returncode == 0
    assert world.is_ready()
    assert not any(line.startswith("apt-get") for line in world.did())
    *_, said, empty, line, last = ran.stderr.splitlines()
    assert said.startswith("Lull runs") and empty == last == ""
    assert line.strip().startswith("sh -c 'apt-get update && apt-get install -y ")
    assert " xvfb " in line and " libstb-dev'" in line, "nobody is to be asked twice"
    assert ran.stderr.count("apt-get update") == 1
    again = world.setup()
    assert again.returncode == 0 and line in again.stderr.splitlines()
    world.root = True
    handed = subprocess.run(
        ["sh", "-c", line],
        env={
            "PATH": f"{world.folder / 'bin'}:/usr/bin:/bin",
            "WORLD": str(world.folder),
            "STEP_S": "0",
        },
    )
    assert handed.returncode == 0
    world.root = False
    for groups in (("run",), ("run", "test"), ("run", "ollama")):
        assert (world.setup(*groups).returncode, world.setup(*groups).stderr) == (0, "")


def test_the_tests_need_the_window_s_packages_and_no_others(world: World) -> None:
    world.root = False
    ran = world.setup("run", "test")
    assert ran.returncode == 1 and "No test was run" in ran.stderr
    assert world.is_ready(), "all the rest is done"
    world.root = True
    assert world.setup("run").returncode == 0
    world.root = False
    ran = world.setup("run", "test")
    assert ran.returncode == 0 and "xvfb" in ran.stderr


def test_without_a_python_the_line_comes_all_the_same(world: World) -> None:
    world.root = False
    for name in ("python3", "python3.11", "python3.12", "python3.13", "python3.14"):
        world._stub(name, "exit 1\n")
    ran = world.setup()
    assert ran.returncode == 1
    assert "apt-get install -y" in ran.stderr and "make again" in ran.stderr
    assert "Install one" not in ran.stderr, "one order, not two"


def test_what_is_no_python_costs_no_environment(world: World) -> None:
    world.setup()
    world.did()
    world.more["PYTHON"] = "true"  # a program that succeeds whatever it is asked
    ran = world.setup()
    assert ran.returncode == 1 and "PYTHON=true is no Python 3.11 to 3.14" in ran.stderr
    assert world.is_ready()
    del world.more["PYTHON"]
    assert world.setup().stdout == ""


def test_a_lull_that_does_not_start_is_not_called_ready(world: World) -> None:
    fails = PYTHON.replace(
        'touch "${0%/*}/lull"', """echo 'echo "no such file"; exit 127' >"${0%/*}/lull\""""
    )
    world._stub("python3", fails)
    ran = world.setup()
    assert ran.returncode == 1 and "Ready" not in ran.stdout
    assert "no such file" in ran.stderr and "does not start from" in ran.stderr
    world._stub("python3", PYTHON)
    (world.checkout / ".venv" / "bin" / "python").write_bytes(
        (world.folder / "bin" / "python3").read_bytes()
    )
    (world.checkout / ".venv" / "bin" / "lull").unlink()
    ran = world.setup()
    assert ran.returncode == 0 and ran.stdout.endswith("Ready: .venv/bin/lull\n")


def test_an_apt_that_was_cut_off_is_brought_to_its_end(world: World) -> None:
    (world.folder / "cut-off").touch()
    ran = world.setup()
    assert ran.returncode == 0, ran
    assert "an earlier installation was cut off" in ran.stdout
    assert "dpkg --configure -a" in world.did()


def test_an_apt_that_holds_the_lists_is_waited_for(world: World) -> None:
    (world.folder / "locked").touch()
    world.more["LULL_LOCK_WAIT_S"] = "0"
    ran = world.setup()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "waiting for another apt to end" in ran.stdout
    assert (world.folder / "installed" / "libgl1").exists()


def test_an_archive_that_takes_questions_and_never_answers_is_given_up(world: World) -> None:
    (world.folder / "stalled").touch()
    world.more["LULL_STALLS_S"] = "5"
    ran = world.setup()
    assert ran.returncode == 0
    assert "The package archive cannot be reached: is this machine online?" in ran.stderr
    assert world.is_ready(), "all else is done"


@pytest.mark.parametrize("lost", ["the Python", "a package"])
def test_an_environment_that_is_whole_no_more_is_made_anew(world: World, lost: str) -> None:
    world.setup()
    packages = world.checkout / ".venv" / "lib" / "python3.11" / "site-packages"
    (packages / "of-the-user-1.dist-info").mkdir()
    assert world.setup().stdout == "", "more than was put there does no harm"
    if lost == "the Python":  # a system's upgrade puts another one behind the same name
        world._stub("another", PYTHON.replace("3.11.2", "3.13.0"))
        shutil.copy(world.folder / "bin" / "another", world.checkout / ".venv" / "bin" / "python")
    else:
        for name in ("a", "of-the-user"):
            (packages / f"{name}-1.dist-info").rmdir()
    assert world.setup().stdout.startswith("Making .venv with Python")
    assert world.setup().stdout == ""


@pytest.mark.parametrize("thing", ["a file", "a link to nothing", "a link to another environment"])
def test_what_stands_in_the_environment_s_place_goes(world: World, thing: str) -> None:
    venv, other = world.checkout / ".venv", world.folder / "other"
    if thing == "a file":
        venv.touch()
    else:
        venv.symlink_to(other)
    if thing == "a link to another environment":
        other.mkdir()
        (other / ".lull-packages").write_text("its own")
    ran = world.setup()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert venv.is_dir()
    assert not venv.is_symlink()
    assert not other.exists() or (other / ".lull-packages").read_text() == "its own"


def test_without_errors_to_write_to_it_does_its_work(world: World) -> None:
    real = world.checkout / "packaging" / "setup.sh"
    (world.checkout / "packaging" / "real.sh").write_text(real.read_text())
    real.write_text('exec sh packaging/real.sh "$@" 2>&-\n')
    assert world.setup().returncode == 0
    assert world.is_ready()


def test_it_says_how_far_it_is(world: World) -> None:
    with world.holding("pip"):
        with world.holding("apt"):
            process = world.begin()
            assert process.stdout is not None
            assert "  installing, 25 %: libgl1\n" in iter(process.stdout.readline, "")
        assert any(line.startswith("  fetching, 1 of ") for line in process.stdout)
        assert any(line.endswith(" packages so far, for 10 s now\n") for line in process.stdout)
    process.communicate(timeout=PATIENCE_S)


MOMENTS = [
    *("", "apt-get", "fcntl", "-m venv", "-m pip", "compileall"),
    *("sync with .lull-*", "--editable", "sync with .lull-packages"),
]
"""Commands that a first run calls one after the other; each step takes a while."""


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_any_moment_it_is_finished_by_the_next(world: World, moment: str) -> None:
    world.step_s = 0.3
    process = world.begin()
    eventually(lambda: not moment or any(moment in line for line in world.all_it_did()))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    world.step_s = 0.0
    ran = world.setup()
    assert ran.returncode == 0, ran
    assert world.is_ready()
    assert (world.setup().stdout, world.setup().stderr) == ("", "")


def test_what_is_on_the_disk_comes_before_its_mark(world: World) -> None:
    world.setup()
    synced = [line for line in world.did() if line.startswith("sync")]
    assert synced == ["sync with .lull-*", "sync with .lull-packages"]


def test_a_python_that_is_named_is_the_one_that_is_used(world: World) -> None:
    assert world.setup().returncode == 0
    another = PYTHON.replace("3.11.2", "3.13.0")
    world._stub("another", another)
    world.more["PYTHON"] = "another"
    ran = world.setup()
    assert (ran.returncode, ran.stdout.splitlines()[0]) == (
        0,
        "Making .venv with Python 3.13.0, a minute or two",
    )
    assert world.setup().stdout == ""
    world.more.clear()
    assert world.setup().stdout == "", "what was made stays"
    world._stub("my python/python3", PYTHON.replace("3.11.2", "3.12.1"))
    world.more["PYTHON"] = str(world.folder / "bin" / "my python" / "python3")
    assert world.setup().stdout.startswith("Making .venv with Python 3.12.1")


def test_a_python_that_does_not_suit_is_said_and_nothing_is_lost(world: World) -> None:
    assert world.setup().returncode == 0
    for wrong in ("no-such-python", "false"):
        world.more["PYTHON"] = wrong
        ran = world.setup()
        assert ran.returncode == 1
        assert ran.stderr.startswith(f"PYTHON={wrong} is no Python 3.11 to 3.14")
    assert world.is_ready()


def test_the_second_of_two_waits_for_the_first(world: World) -> None:
    with world.holding("venv"):
        first = world.begin()
        assert first.stdout is not None
        assert any(line.startswith("Making") for line in first.stdout)
        with world.begin() as second:
            assert second.stdout is not None and second.stderr is not None
            assert [second.stdout.readline(), second.stdout.readline()] == [
                f"Another make is at work on .venv here (process {first.pid}); waiting for it.\n",
                "  waiting\n",
            ]
            (world.folder / "hold-venv").unlink()
            # Whatever the first is at; it has a log that is empty now and then.
            assert all(line.startswith("  waiting") for line in second.stdout.readlines())
            assert second.stderr.read() == ""
    out, err = first.communicate(timeout=PATIENCE_S)
    assert (first.returncode, err) == (0, "") and out.endswith("Ready: .venv/bin/lull\n")
    assert second.returncode == 0
    assert sum("-m venv" in line for line in world.did()) == 1


def test_a_make_that_has_ended_is_not_named(world: World) -> None:
    lock = world.checkout / ".venv.lock"
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=-1)
    lock.write_bytes(ended.stdout)
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = world.begin()
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        assert any(line.startswith("What a make that has ended left running") for line in lines)
    assert process.wait(PATIENCE_S) == 0
    process.communicate()


def running_with(group: int) -> list[psutil.Process]:
    """The processes of a process group that have not ended."""
    found = []
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(one.pid) == group and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one)
    return found


@pytest.mark.parametrize("gone", [signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM])
def test_nothing_goes_on_when_it_is_ended(world: World, gone: signal.Signals) -> None:
    with world.holding("pip"):
        process = world.begin()
        eventually(lambda: any("-m pip" in line for line in world.did()))
        process.send_signal(gone)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
        # The held step can end only by the signal.
        eventually(lambda: not running_with(process.pid))
    assert "pip came to its end" not in world.did()


@pytest.mark.parametrize("gone", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_apt_goes_with_what_started_it(world: World, gone: signal.Signals) -> None:
    with world.holding("apt"):
        process = world.begin()
        eventually(lambda: any("apt-get" in line for line in world.did()))
        process.send_signal(gone)  # to it alone, as make does
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
        # The held step can end only by the signal.
        eventually(lambda: not running_with(process.pid))
    assert not (world.folder / "installed" / "libgl1").exists()
    assert world.setup().returncode == 0


@pytest.mark.parametrize("step", ["apt", "pip"])
def test_a_reader_who_leaves_ends_it_without_a_word(world: World, step: str) -> None:
    """Tests `make setup | head -1`."""
    with world.holding(step):
        process = world.begin()
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        process.stderr.close()
        process.wait(PATIENCE_S)
        eventually(lambda: not running_with(process.pid))


def test_a_disk_with_too_little_room_is_named_first(world: World) -> None:
    world.more["FREE_MB"] = "57"
    ran = world.setup()
    assert ran.returncode == 1
    assert ran.stderr.startswith("There is too little room on this disk: .venv takes ")
    assert "57 MB are free" in ran.stderr
    assert not any("-m venv" in line for line in world.did())


def test_without_a_network_it_asks_for_one(world: World) -> None:
    (world.folder / "offline").touch()
    with world.holding("pip"):
        process = world.begin()
        assert process.stdout is not None
        said = islice(process.stdout, 30)
        assert "  the package index does not answer; trying once more\n" in said
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    first, second = (line for line in errors.splitlines() if "online?" in line)
    assert first.startswith("The package archive cannot be reached")
    assert second.startswith("Could not fetch the Python packages")

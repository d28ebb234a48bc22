"""Whether a call or a film is in progress: somebody may be there without touching anything.

A call is a program that records sound or pictures, a film is a program that keeps the screen awake.
What listens to what the machine itself plays (a level meter, a recorder of the desktop) is neither.
On Linux PipeWire is asked where it runs, else PulseAudio; the screen is logind's and the Mac's
answers are `idle_macos.py`'s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from lull.backends.commands import Ask
from lull.backends.polled import Source
from lull.core.idle_signals import Known, Reading, Unknown

_RECORDING: Final = ("Stream/Input/Audio", "Stream/Input/Video")
_OF_THE_MACHINE_ITSELF: Final = ("stream.capture.sink", "stream.monitor")


class AnyTrue:
    """Implements Source: true if one of several says so; false only if all of them deny it."""

    def __init__(self, sources: Sequence[Source[bool]]) -> None:
        self._sources = tuple(sources)
        self._asked = self._sources[0]

    @property
    def name(self) -> str:
        return self._asked.name

    def read(self) -> Reading[bool]:
        whys = []
        for source in self._sources:
            self._asked = source
            answer = source.read()
            if isinstance(answer, Unknown):
                whys.append(answer.why)
            elif answer.value:
                return answer
        return Unknown("; ".join(dict.fromkeys(whys))) if whys else Known(False)

    def close(self) -> None:
        for source in self._sources:
            source.close()


class Recording:
    """Implements Source: whether a program records from a microphone or a camera, on Linux."""

    name = "the sound server"

    def __init__(self, environ: Mapping[str, str], ask: Ask) -> None:
        runtime = Path(environ.get("XDG_RUNTIME_DIR") or "/nowhere")
        self._pipewire = runtime / (environ.get("PIPEWIRE_REMOTE") or "pipewire-0")
        self._pulse = environ.get("PULSE_SERVER") or f"unix:{runtime / 'pulse' / 'native'}"
        self._ask = ask

    def read(self) -> Reading[bool]:
        """Only a server that is there is asked: pactl would start one."""
        here: Reading[bool] = Unknown("no sound server runs here")
        if self._pipewire.exists():
            dump = self._ask(["pw-dump"])
            here = dump if isinstance(dump, Unknown) else recorded_by_pipewire(dump.value)
        if isinstance(here, Known):
            return here
        unix = self._pulse.removeprefix("unix:")
        return here if unix != self._pulse and not Path(unix).exists() else self._by_pulse()

    def _by_pulse(self) -> Reading[bool]:
        pactl = ["pactl", f"--server={self._pulse}", "list"]
        sources = self._ask([*pactl, "short", "sources"])
        outputs = self._ask([*pactl, "source-outputs"])
        if isinstance(sources, Unknown):
            return sources
        if isinstance(outputs, Unknown):
            return outputs
        return Known(recorded_by_pulse(sources.value, outputs.value))

    def close(self) -> None: ...


def recorded_by_pipewire(dump: str) -> Reading[bool]:
    """`dump` is pw-dump's JSON: objects of which those of a running stream tell."""
    try:
        objects = json.loads(dump)
    except ValueError:
        return Unknown("pw-dump answers something that is no JSON")
    return Known(any(_records(props) for props in _running_nodes(objects)))


def _running_nodes(objects: object) -> Iterator[Mapping[str, object]]:
    for one in objects if isinstance(objects, list) else ():
        info = one.get("info") if isinstance(one, dict) else None
        if isinstance(info, dict) and info.get("state") == "running":
            props = info.get("props")
            if isinstance(props, dict):
                yield props


def _records(props: Mapping[str, object]) -> bool:
    if props.get("media.class") not in _RECORDING:
        return False
    if any(str(props.get(key, "")).lower() in ("true", "1") for key in _OF_THE_MACHINE_ITSELF):
        return False
    # A filter such as echo cancelling stands between; who uses it is a stream of its own.
    return "node.link-group" not in props


def recorded_by_pulse(sources: str, outputs: str) -> bool:
    """pactl's short list of sources, and its long list of what records from them."""
    monitors = {
        fields[0]
        for line in sources.splitlines()
        if len(fields := line.split("\t")) > 1 and fields[1].endswith(".monitor")
    }
    return any(
        _field(block, "Corked") == "no"
        and _field(block, "Source") not in monitors
        and _field(block, "Resample method") != "peaks"
        for block in re.split(r"^Source Output #", outputs, flags=re.MULTILINE)[1:]
    )


def _field(block: str, name: str) -> str:
    found = re.search(rf"^\s*{name}: (.*)$", block, re.MULTILINE)
    return found[1].strip() if found else ""

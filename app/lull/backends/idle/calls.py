"""Detects calls and films: times when the user may be there without touching the machine.

A call is assumed when a program records sound or video, a film when one keeps the screen awake.
Programs that capture the machine's own output (a level meter, a desktop recorder) count as neither.
On Linux PipeWire is asked if it runs, else PulseAudio.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from lull.backends.idle.polled import SignalSource
from lull.backends.machine.commands import Ask
from lull.core.idle.signals import Known, Reading, Unknown

_RECORDING: Final = ("Stream/Input/Audio", "Stream/Input/Video")
_CAPTURES_OUTPUT: Final = ("stream.capture.sink", "stream.monitor")


class AnyTrue:
    """Combines several yes/no idle signals into one: true if any is true, false only if all are
    false, otherwise unknown. Implements `SignalSource`.
    """

    def __init__(self, sources: Sequence[SignalSource[bool]]) -> None:
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
    """Signal for idle detection on Linux: whether a program records from a microphone or camera, as
    in a call. Implements `SignalSource`.
    """

    name = "the sound server"

    def __init__(self, environ: Mapping[str, str], ask: Ask) -> None:
        runtime = Path(environ.get("XDG_RUNTIME_DIR") or "/nowhere")
        self._pipewire = runtime / (environ.get("PIPEWIRE_REMOTE") or "pipewire-0")
        self._pulse = environ.get("PULSE_SERVER") or f"unix:{runtime / 'pulse' / 'native'}"
        self._ask = ask

    def read(self) -> Reading[bool]:
        """Ask the running sound server whether a program records from a microphone or camera.

        A sound server that does not run is not asked, because pactl would start one.
        """
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
    """Return whether a program records sound or video, from the JSON printed by PipeWire's
    pw-dump.
    """
    try:
        objects = json.loads(dump)
    except ValueError:
        return Unknown("pw-dump returned something that is not JSON")
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
    if any(str(props.get(key, "")).lower() in ("true", "1") for key in _CAPTURES_OUTPUT):
        return False
    # Ignore filters such as echo cancelling; the program using one has its own stream.
    return "node.link-group" not in props


def recorded_by_pulse(sources: str, outputs: str) -> bool:
    """Return whether any program records sound, from pactl's lists of sources and of source
    outputs.
    """
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

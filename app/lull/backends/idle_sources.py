"""Which source tells what: the table of platforms (one function each), and the settings' choice.

Platform names are those of `sys.platform`. What a platform does not tell is unknown there, with the
reason. A file that the user names wins over everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo

from lull.backends.apps import ExclusiveApps
from lull.backends.calls import AnyTrue, Recording
from lull.backends.commands import asking
from lull.backends.heat import Heat
from lull.backends.idle_file import IdleFile
from lull.backends.idle_linux import linux_input
from lull.backends.idle_macos import (
    IoregIdle,
    MacScreenAwake,
    QuartzIdle,
    mac_heat,
    mac_lock,
    mac_recording,
    mac_saving,
)
from lull.backends.idle_windows import WindowsIdle
from lull.backends.load import LoadOfOthers
from lull.backends.logind import LogindInhibitors, LogindLock, LogindWaking
from lull.backends.macos import Frameworks
from lull.backends.memory_room import MemoryRoom
from lull.backends.polled import FirstKnown, Silent
from lull.backends.power import Power, PowerProfile
from lull.backends.signals import Chats, Sources, SystemSignals
from lull.config.idle_settings import FILE, source_path
from lull.core.errors import SettingsError
from lull.core.ports import Clock

Apps = Callable[[], Sequence[str]]


def choose_source(
    platform: str,
    environ: Mapping[str, str],
    wanted: str,
    *,
    clock: Clock,
    zone: Callable[[], tzinfo],
    apps: Apps,
    chats: Chats | None = None,
    returned: Callable[[], None] | None = None,
) -> IdleFile | SystemSignals:
    """`wanted` is the setting idle.source: "file:PATH", or empty for what the system tells, which
    is still to be started; a path that is no whole one raises SettingsError. The rest is as
    `SystemSignals` has it; all of it may be asked from threads."""
    if wanted.startswith(FILE):
        try:
            path = source_path(wanted)
        except ValueError as error:
            raise SettingsError(
                f"idle.source is {wanted[:200]!r}: {error}.",
                hint="Give the whole path of a file, such as file:/tmp/me.json.",
            ) from None
        return IdleFile(path, clock=clock, zone=zone)
    sources = sources_of(platform, environ, apps=apps)
    return SystemSignals(sources, clock=clock, zone=zone, chats=chats, returned=returned)


def sources_of(platform: str, environ: Mapping[str, str], *, apps: Apps) -> Sources:
    """`apps` names the programs during which the user wants quiet; it is asked from a thread."""
    if platform.startswith("linux"):
        return _linux(environ, apps)
    if platform == "darwin":
        return _macos(environ, apps)
    if platform == "win32":
        return _others("Windows does not tell Lull", apps, windows=True)
    return _others(f"Lull asks nothing of this system ({platform})", apps)


def _linux(environ: Mapping[str, str], apps: Apps) -> Sources:
    load = LoadOfOthers()
    recording = Recording(environ, asking(environ))
    return Sources(
        input=linux_input(environ),
        locked=LogindLock(environ),
        waking=LogindWaking(environ),
        power=Power(),
        saving=PowerProfile(environ),
        heat=Heat(),
        load=load,
        memory=MemoryRoom(),
        call=AnyTrue([recording, LogindInhibitors(environ)]),
        app=ExclusiveApps(apps),
        working=load.working,
    )


def _macos(environ: Mapping[str, str], apps: Apps) -> Sources:
    ask, load = asking(environ), LoadOfOthers()
    # Each source has its own, since each is asked from a thread of its own.
    return Sources(
        input=FirstKnown([QuartzIdle(Frameworks()), IoregIdle(ask)]),
        locked=mac_lock(Frameworks()),
        waking=Silent("waking", "the Mac's clocks tell of its sleep"),
        power=Power(),
        saving=mac_saving(Frameworks()),
        heat=mac_heat(Frameworks()),
        load=load,
        memory=MemoryRoom(),
        call=AnyTrue([mac_recording(Frameworks()), MacScreenAwake(ask)]),
        app=ExclusiveApps(apps),
        working=load.working,
    )


def _others(why: str, apps: Apps, *, windows: bool = False) -> Sources:
    load = LoadOfOthers()
    return Sources(
        input=WindowsIdle() if windows else Silent("input", why),
        locked=Silent("the lock", why),
        waking=Silent("waking", why),
        power=Power(),
        saving=Silent("saving power", why),
        heat=Silent("heat", why),
        load=load,
        memory=MemoryRoom(),
        call=Silent("calls", why),
        app=ExclusiveApps(apps),
        working=load.working,
    )

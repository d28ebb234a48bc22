"""Chooses the sources of idle signals (whether the user is at the computer) by platform and
settings.

Platform names are those of `sys.platform`. Signals that a platform does not provide are unknown,
with the reason. A file configured by the user replaces all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo

from lull.backends.idle.calls import AnyTrue, Recording
from lull.backends.idle.file import IdleFile
from lull.backends.idle.linux import linux_input
from lull.backends.idle.macos import (
    IoregIdle,
    MacScreenAwake,
    QuartzIdle,
    mac_heat,
    mac_lock,
    mac_recording,
    mac_saving,
)
from lull.backends.idle.polled import FirstKnown, UnavailableSignal
from lull.backends.idle.signals import (
    ChatActivity,
    MachineSources,
    SignalSources,
    SystemSignals,
    UserSources,
)
from lull.backends.idle.windows import Win32Idle
from lull.backends.machine.apps import ExclusiveApps
from lull.backends.machine.commands import command_runner
from lull.backends.machine.heat import Heat
from lull.backends.machine.load import LoadOfOthers
from lull.backends.machine.logind import LogindInhibitors, LogindLock, LogindWaking
from lull.backends.machine.macos import Frameworks
from lull.backends.machine.memory import MemorySignal
from lull.backends.machine.power import Power, PowerProfile
from lull.config.idle_settings import FILE_PREFIX, source_path
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
    chats: ChatActivity | None = None,
    returned: Callable[[], None] | None = None,
) -> IdleFile | SystemSignals:
    """Return the configured source of idle signals; a `SystemSignals` still has to be started.

    `wanted` is the setting idle.source: "file:PATH", or empty for the system's signals. Raises
    SettingsError if the path is not absolute. The callables may be called from threads.
    """
    if wanted.startswith(FILE_PREFIX):
        try:
            path = source_path(wanted)
        except ValueError as error:
            raise SettingsError(
                f"“idle.source” is {wanted[:200]!r}: {error}.",
                hint="Give the whole path of a file, such as file:/tmp/me.json.",
            ) from None
        return IdleFile(path, clock=clock, zone=zone)
    sources = sources_of(platform, environ, apps=apps)
    return SystemSignals(sources, clock=clock, zone=zone, chats=chats, returned=returned)


def sources_of(platform: str, environ: Mapping[str, str], *, apps: Apps) -> SignalSources:
    """Return this platform's sources of idle signals, such as input, screen lock and power.

    The function `apps`, called from a thread, lists programs whose running keeps Lull from working.
    """
    if platform.startswith("linux"):
        return _linux(environ, apps)
    if platform == "darwin":
        return _macos(environ, apps)
    if platform == "win32":
        return _others("Windows doesn't report this", apps, windows=True)
    return _others(f"Lull can't query this system ({platform})", apps)


def _linux(environ: Mapping[str, str], apps: Apps) -> SignalSources:
    load = LoadOfOthers()
    recording = Recording(environ, command_runner(environ))
    return SignalSources(
        user=UserSources(
            input=linux_input(environ),
            locked=LogindLock(environ),
            call=AnyTrue([recording, LogindInhibitors(environ)]),
            app=ExclusiveApps(apps),
        ),
        machine=MachineSources(
            waking=LogindWaking(environ),
            power=Power(),
            saving=PowerProfile(environ),
            heat=Heat(),
            load=load,
            memory=MemorySignal(),
            working=load.set_working,
        ),
    )


def _macos(environ: Mapping[str, str], apps: Apps) -> SignalSources:
    ask, load = command_runner(environ), LoadOfOthers()
    # Each source gets its own Frameworks, since each is polled in its own thread.
    return SignalSources(
        user=UserSources(
            input=FirstKnown([QuartzIdle(Frameworks()), IoregIdle(ask)]),
            locked=mac_lock(Frameworks()),
            call=AnyTrue([mac_recording(Frameworks()), MacScreenAwake(ask)]),
            app=ExclusiveApps(apps),
        ),
        machine=MachineSources(
            waking=UnavailableSignal("waking", "on a Mac, sleep is detected from its clocks"),
            power=Power(),
            saving=mac_saving(Frameworks()),
            heat=mac_heat(Frameworks()),
            load=load,
            memory=MemorySignal(),
            working=load.set_working,
        ),
    )


def _others(why: str, apps: Apps, *, windows: bool = False) -> SignalSources:
    load = LoadOfOthers()
    return SignalSources(
        user=UserSources(
            input=Win32Idle() if windows else UnavailableSignal("input", why),
            locked=UnavailableSignal("the lock", why),
            call=UnavailableSignal("calls", why),
            app=ExclusiveApps(apps),
        ),
        machine=MachineSources(
            waking=UnavailableSignal("waking", why),
            power=Power(),
            saving=UnavailableSignal("saving power", why),
            heat=UnavailableSignal("heat", why),
            load=load,
            memory=MemorySignal(),
            working=load.set_working,
        ),
    )

"""The settings of lulls: when the machine counts as free, and when the user wants quiet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lull.config.rules import setting
from lull.core import hours
from lull.core.idle_rule import IdleRule

_RULE = IdleRule()
FILE = "file:"


def source_path(text: str) -> Path:
    """The file that `idle.source` names; "~" is the user's own folder. Raises ValueError for what
    is no whole path: another folder to work in must not mean another file."""
    path = Path(text.removeprefix(FILE))
    if not text.startswith(FILE) or "\0" in text:
        raise ValueError("it names no file")
    try:
        path = path.expanduser()
    except RuntimeError:
        raise ValueError("there is no such user") from None
    if not path.is_absolute():
        raise ValueError("it is no whole path")
    return path


def _is_source(text: str) -> bool:
    if not text:
        return True
    try:
        source_path(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleSettings:
    source: str = setting(
        "",
        "Empty asks the system whether you are away. file:PATH reads the signals from a JSON "
        "file instead, for desktops that cannot tell and for scripts.",
        fits=_is_source,
        form='empty or "file:PATH" with a whole path, such as file:/tmp/me.json or file:~/me.json',
    )
    enabled: bool = setting(
        _RULE.enabled,
        "Whether Lull works for itself while you are away. Off, it only does what you ask for.",
    )
    after_min: float = setting(
        _RULE.after_s / 60,
        "So long without input, without a chat and with everything else in order, and the machine "
        "counts as free. Shorter, and you are taken for gone while you read.",
        at_least=0.1,
        at_most=1440,
    )
    locked_after_min: float = setting(
        _RULE.locked_after_s / 60,
        "The same once the screen is locked: hardly anybody locks it and stays.",
        at_least=0.1,
        at_most=1440,
    )
    sure_after_min: float = setting(
        _RULE.sure_after_s / 60,
        "The same in your sleep hours and while a calendar says that you are away. Not nothing: "
        "whoever sits up late is still there.",
        at_least=0.1,
        at_most=1440,
    )
    sleep_hours: tuple[str, ...] = setting(
        (),
        "When you usually sleep; the wait is shorter then. Any sign of you still counts more. "
        "Where nothing tells whether you are there, Lull works in these hours all the same.",
        fits=hours.reads,
        form=hours.FORM,
    )
    allowed_hours: tuple[str, ...] = setting(
        (),
        "If there are any, Lull works for itself in these hours only; also where nothing tells "
        "whether you are there.",
        fits=hours.reads,
        form=hours.FORM,
    )
    blocked_hours: tuple[str, ...] = setting(
        (),
        "Lull never works for itself in these hours.",
        fits=hours.reads,
        form=hours.FORM,
    )
    exclusive_apps: tuple[str, ...] = setting(
        (),
        "Names of programs that want the machine for themselves, such as games or video editors. "
        "While one runs, Lull waits.",
        fits=lambda text: bool(text.strip()),
        form="the name of a program",
    )
    battery_ok: bool = setting(
        _RULE.battery_ok,
        "Whether to work on battery too. Off: training would empty it within the hour.",
    )
    battery_share: float = setting(
        _RULE.battery_share,
        "If battery_ok: never below this share of a full charge.",
        at_least=0.05,
        at_most=1,
    )
    low_power_ok: bool = setting(
        _RULE.low_power_ok,
        "Whether to work in the system's low-power mode, which you chose to save power.",
    )
    load_share: float = setting(
        _RULE.load_share,
        "Of all cores, what other programs may use before Lull waits: a build or a backup goes "
        "first.",
        at_least=0,
        at_most=1,
    )
    memory_share: float = setting(
        _RULE.memory_share,
        "Of all memory, what must be free before Lull begins; half of that while it works.",
        at_least=0,
        at_most=0.95,
    )
    memory_pressure: float = setting(
        _RULE.memory_pressure,
        "Share of time in which programs wait for memory, where the system tells: above it Lull "
        "gives its own memory back.",
        at_least=0,
        at_most=1,
    )

    @property
    def rule(self) -> IdleRule:
        return IdleRule(
            enabled=self.enabled,
            after_s=self.after_min * 60,
            locked_after_s=self.locked_after_min * 60,
            sure_after_s=self.sure_after_min * 60,
            sleep_hours=tuple(map(hours.parsed, self.sleep_hours)),
            allowed_hours=tuple(map(hours.parsed, self.allowed_hours)),
            blocked_hours=tuple(map(hours.parsed, self.blocked_hours)),
            exclusive_apps=self.exclusive_apps,
            battery_ok=self.battery_ok,
            battery_share=self.battery_share,
            low_power_ok=self.low_power_ok,
            load_share=self.load_share,
            memory_share=self.memory_share,
            memory_pressure=self.memory_pressure,
        )

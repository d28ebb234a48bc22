"""Settings that decide when the machine counts as idle and when Lull must not do background
work.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lull.config.rules import setting
from lull.core.idle import hours
from lull.core.idle.rule import IdleRule

_RULE = IdleRule()
FILE_PREFIX = "file:"


def source_path(text: str) -> Path:
    """Return the path of the file from which Lull reads whether the user is away, from a value
    "file:PATH" of the setting `idle.source`; "~" is the user's home folder.

    Raises ValueError if the value names no file, and for a relative path, because its meaning would
    depend on the working directory.
    """
    path = Path(text.removeprefix(FILE_PREFIX))
    if not text.startswith(FILE_PREFIX) or "\0" in text:
        raise ValueError("it names no file")
    try:
        path = path.expanduser()
    except RuntimeError:
        raise ValueError("there is no such user") from None
    if not path.is_absolute():
        raise ValueError("it is not an absolute path")
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
    """Settings for when Lull may work in the background: how it tells that the user is away, and at
    which hours.
    """

    source: str = setting(
        "",
        "How Lull tells whether you are away. If empty, it asks the system. file:PATH reads "
        "the signals from a JSON file instead, for scripts and for desktops that cannot tell.",
        fits=_is_source,
        form='empty or "file:PATH" with an absolute path, such as file:/tmp/me.json or '
        "file:~/me.json",
    )
    enabled: bool = setting(
        _RULE.enabled,
        "Whether Lull does its own work while you are away. If this is off, it only does what "
        "you ask for.",
    )
    after_min: float = setting(
        _RULE.after_s / 60,
        "After how many minutes without input or a chat the machine counts as free, if nothing "
        "else speaks against it. With less time, Lull would think more often that you are gone "
        "while you read; it stops at once when you touch mouse or keys.",
        at_least=0.1,
        at_most=1440,
    )
    answer_after_min: float = setting(
        _RULE.answer_after_s / 60,
        "How many minutes after a chat's answer Lull waits for you to read it, if you touch "
        "nothing. It ends when you use mouse or keys two minutes after the answer or later. Lull "
        "also waits this long where it cannot see input, calls or films. Unless you change it, "
        "less than 1.5 minutes in “I'm away after” counts here too.",
        at_least=0.1,
        at_most=1440,
    )
    locked_after_min: float = setting(
        _RULE.locked_after_s / 60,
        "The longest that Lull waits while the screen is locked, also after an answer. Hardly "
        "anyone locks the screen and stays.",
        at_least=0.1,
        at_most=1440,
    )
    sure_after_min: float = setting(
        _RULE.sure_after_s / 60,
        "The longest that Lull waits in your sleep hours and while a calendar says that you are "
        "away, except after an answer. It is not 0, because you may still be up late.",
        at_least=0.1,
        at_most=1440,
    )
    sleep_hours: tuple[str, ...] = setting(
        (),
        "The hours when you usually sleep; in them the wait is shorter. Any sign of you still "
        "counts more. If Lull cannot tell whether you are there, it works in these hours "
        "anyway.",
        fits=hours.reads,
        form=hours.EXAMPLE_HOURS,
        names_entries=True,
    )
    allowed_hours: tuple[str, ...] = setting(
        (),
        "If you list any hours here, Lull does its own work only in these hours, even if it "
        "cannot tell whether you are there.",
        fits=hours.reads,
        form=hours.EXAMPLE_HOURS,
        names_entries=True,
    )
    blocked_hours: tuple[str, ...] = setting(
        (),
        "Hours in which Lull never does its own work.",
        fits=hours.reads,
        form=hours.EXAMPLE_HOURS,
        names_entries=True,
    )
    exclusive_apps: tuple[str, ...] = setting(
        (),
        "Names of programs that need the machine for themselves, such as games or video "
        "editors. While one of them runs, Lull waits.",
        fits=lambda text: bool(text.strip()),
        form="the name of a program",
    )
    battery_ok: bool = setting(
        _RULE.battery_ok,
        "Whether Lull may also work on battery, as on a laptop that is not plugged in. This is "
        "off by default, because training would empty the battery within an hour.",
    )
    battery_share: float = setting(
        _RULE.battery_share,
        "The lowest battery charge at which Lull works, as a share of a full charge, if “Work "
        "on battery too” is on.",
        at_least=0.05,
        at_most=1,
    )
    low_power_ok: bool = setting(
        _RULE.low_power_ok,
        "Whether Lull may work in the system's low-power mode, which you turned on to save power.",
    )
    load_share: float = setting(
        _RULE.load_share,
        "The share of the processor (CPU) that other programs may use before Lull waits, so that a "
        "video export or a backup goes first.",
        at_least=0,
        at_most=1,
    )
    memory_share: float = setting(
        _RULE.memory_share,
        "The share of memory (RAM) that must be free before Lull begins its own work. While it "
        "works, half of this is enough.",
        at_least=0,
        at_most=0.95,
    )
    memory_pressure: float = setting(
        _RULE.memory_pressure,
        "The share of time that programs may wait for memory, on systems that report it. Above "
        "it, Lull frees its own memory.",
        at_least=0,
        at_most=1,
    )

    @property
    def _answer_after_min(self) -> float:
        """Minutes to wait after an answer: those of the setting, or `after_min` if the user
        shortened only that one, as scripts do.
        """
        shortened = self.after_min * 60 < _RULE.after_s
        as_usual = self.answer_after_min * 60 == _RULE.answer_after_s
        return self.after_min if shortened and as_usual else self.answer_after_min

    @property
    def rule(self) -> IdleRule:
        """Return the parameters of the decision whether Lull may work in the background."""
        return IdleRule(
            enabled=self.enabled,
            after_s=self.after_min * 60,
            answer_after_s=self._answer_after_min * 60,
            locked_after_s=self.locked_after_min * 60,
            sure_after_s=self.sure_after_min * 60,
            sleep_hours=tuple(map(hours.parse_hours, self.sleep_hours)),
            allowed_hours=tuple(map(hours.parse_hours, self.allowed_hours)),
            blocked_hours=tuple(map(hours.parse_hours, self.blocked_hours)),
            exclusive_apps=self.exclusive_apps,
            battery_ok=self.battery_ok,
            battery_share=self.battery_share,
            low_power_ok=self.low_power_ok,
            load_share=self.load_share,
            memory_share=self.memory_share,
            memory_pressure=self.memory_pressure,
        )

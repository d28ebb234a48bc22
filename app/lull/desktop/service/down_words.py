"""Says in words how the service's process stands while the window has no connection to it: the same
in the banner, on the pages, in the status line and in the tray.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from lull.desktop.language.words import reword_for_window, tr, translated


class ServiceState(StrEnum):
    """State of the service's process, such as running or stopped, as the window sees it."""

    STARTING = "starting"
    RUNNING = "running"
    FALLEN = "fallen"
    """The service crashed and will be restarted shortly."""
    GIVEN_UP = "given up"
    """The service crashed too often; only the user can start it again."""
    STOPPED = "stopped"
    """The user stopped the service."""
    PORT_TAKEN = "port taken"
    """Another program uses the service's port; the service is started once the port is free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DownWords:
    """What the window says everywhere while it has no connection to the service."""

    line: str
    """In the status line and the tray."""
    head: str
    """Above a page that has no data."""
    text: str
    """Below that."""
    banner: str
    bad: bool = False
    """Whether something went wrong, so that the banner is shown as a warning."""
    startable: bool = False
    """Whether the user can start the service."""


def down_words(state: ServiceState, why: Mapping[str, str]) -> DownWords:
    """Return what the window says of a service that it has no connection to; `why` is the problem
    for which the service does not run, as `title`, `detail` and `hint`.
    """
    detail = translated(why, "detail").strip().rstrip(".")
    hint = reword_for_window(str(why.get("hint", "")))
    line = tr("Service stopped: %1", detail) if detail else tr("Service stopped")
    head = tr("The service is not running")
    safe = tr("What is stored is safe. It is shown here when the service is back.")
    match state:
        case ServiceState.STARTING:
            return DownWords(
                line=tr("Starting…"),
                head=tr("The service is starting…"),
                text="",
                banner=tr("The service is starting. What you see may be out of date."),
            )
        case ServiceState.RUNNING:
            # The process is there, and does not answer yet or no longer.
            return DownWords(
                line=tr("Connecting…"),
                head=tr("Connecting to the service…"),
                text=safe,
                banner=tr("Connecting to the service. What you see may be out of date."),
            )
        case ServiceState.FALLEN:
            banner = tr("The service stopped: %1. It is being restarted.", detail)
            return DownWords(line=line, head=head, text=safe, banner=banner, bad=True)
        case ServiceState.GIVEN_UP:
            banner = tr("The service keeps stopping: %1. %2", detail, hint).strip()
        case ServiceState.PORT_TAKEN:
            banner = tr("Lull can't answer your chat apps: %1.", detail)
        case ServiceState.STOPPED:
            banner = tr("The service is stopped. Your chat apps get no answers.")
    bad = state is not ServiceState.STOPPED
    startable = state is not ServiceState.PORT_TAKEN  # the banner offers another port
    return DownWords(line=line, head=head, text=safe, banner=banner, bad=bad, startable=startable)

"""Names of those problems reported by the service for which the window offers a way out
of its own.
"""

from __future__ import annotations

from typing import Final

OLD_CONVERSATIONS: Final = "old conversations"
"""Many conversations are over the limits, and wait for the user's word before they go."""
FULL_TRASH: Final = "full trash"
"""Conversations over the limits stay because the trash is full."""

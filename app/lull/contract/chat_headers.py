"""HTTP headers of chat requests that Lull's proxy reads and does not forward, and the client name
of Lull's own window.
"""

from __future__ import annotations

SESSION_HEADER = "X-Lull-Session"
"""Header in which a client may name its conversation."""
RECORD_HEADER = "X-Lull-Record"
"""Header by which a client asks, with the value "no", that its request is not recorded."""
SKILLS_HEADER = "X-Lull-Skills"
"""Header by which Lull's window asks, with the value "no", that no skills are added to its request;
ignored when another client sends it.
"""
WINDOW_CLIENT = "lull"
"""Client name of Lull's own window, from its User-Agent."""
WINDOW_AGENT = "Lull/1"

"""HTTP headers of chat requests that Lull's proxy reads and does not forward, and the client name
of Lull's own window.
"""

from __future__ import annotations

SESSION_HEADER = "X-Lull-Session"
"""Header in which a client may name its conversation."""
RECORD_HEADER = "X-Lull-Record"
"""Header in which a client may ask with "no" that a request is not recorded."""
SKILLS_HEADER = "X-Lull-Skills"
"""Header in which Lull's window may ask with "no" that a request gets no skills; ignored from other
clients."""
WINDOW_CLIENT = "lull"
"""Client name of Lull's own window, from its User-Agent."""
WINDOW_AGENT = "Lull/1"

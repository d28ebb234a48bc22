"""Names the type of a JSON object, as the control API, its clients and the child processes pass
it.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
"""A JSON object: values by their names, not checked any further."""

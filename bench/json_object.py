"""Names the type of a JSON object, for benchmarks that know nothing of Lull's code, too."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
"""A JSON object: values by their names, not checked any further."""

"""Defines `Json`, the type of a JSON object that the control API, its clients and Lull's child
processes exchange.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
"""A JSON object: values by their names, not checked any further."""

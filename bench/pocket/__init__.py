"""The built-in model: how its language is taught, how it is measured, how it is shipped.

`python -m bench pocket` measures the shipped weights; `python -m bench.pocket.train` makes them
again from nothing.
"""

from bench.pocket.command import main

__all__ = ["main"]

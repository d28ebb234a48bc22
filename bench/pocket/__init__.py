"""The built-in model: training on its toy language, measurement, and export.

`python -m bench pocket` measures the shipped weights; `python -m bench.pocket.train` makes them
again from nothing.
"""

from bench.pocket.command import main

__all__ = ["main"]

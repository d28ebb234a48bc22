"""Does it learn: `python -m bench workweek` lets a simulated person work with the real service."""

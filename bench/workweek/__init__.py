"""Whether Lull learns: `python -m bench workweek` lets a simulated person use the real service."""

"""Measures training steps and interruptions of training: `python -m bench trainer`."""

"""Lull: a desktop app that improves a local language model from its user's corrections, with short
texts put into prompts (skills) and with LoRA adapters trained while the computer is idle.
"""

__version__ = "0.1.0"

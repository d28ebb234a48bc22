"""Stores LoRA adapters: their database tables, their files, and the measurements of the tests that
they must pass before use.
"""

"""Stores LoRA adapters: their tables, their files, and the measurements of the tests before they
are used.
"""

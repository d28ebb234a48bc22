"""Translates what a GGUF model file says of a model into MLX's format: its config.json, the names
and layouts of its tensors, and its tokenizer.
"""

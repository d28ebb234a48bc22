"""The inference engine: a process that runs one language model with its LoRA adapters in MLX and
generates the answers of Lull's own models.
"""

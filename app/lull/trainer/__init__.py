"""The trainer: a process that reads the folder of one training run, trains a LoRA adapter in MLX,
and writes the adapter into that folder.
"""

"""Runs the inference engine and the LoRA trainer as child processes, and prepares the folders of
MLX weights that they load.
"""

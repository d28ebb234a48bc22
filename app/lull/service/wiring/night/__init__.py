"""Builds the parts that work while the user is away: the scheduler, the training of LoRA adapters,
their tests and use, and the preparing of model weights.
"""

"""Builds the parts that work while the user is away: scheduler, training, LoRA adapters and
weights.
"""

"""Data types and rules for training LoRA adapters: which recorded data may be used, how a training
run and its examples are specified, and how its events and outcome are recorded.
"""

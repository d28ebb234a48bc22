"""Training runs of LoRA adapters: which data may be used, a run's specification, training examples,
the trainer's events, and the record of a run.
"""

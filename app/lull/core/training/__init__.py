"""Training runs of LoRA adapters: eligible data, the specification, examples, events and the
record.
"""

"""Commands of `lull adapters`, which lists, uses and rolls back LoRA adapters."""

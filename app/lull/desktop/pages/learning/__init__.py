"""The Learning page and its dialogs: charts, training runs and LoRA adapters."""

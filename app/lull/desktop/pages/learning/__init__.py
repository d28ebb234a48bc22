"""The Learning page of Lull's window and its dialogs: they show charts of answer quality, the
training runs and the LoRA adapters that these made.
"""

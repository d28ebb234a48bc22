"""The commands of `lull adapters`, which list LoRA adapters, put one into use and roll back to an
earlier one.
"""

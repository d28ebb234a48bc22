"""Answers the control API's requests about LoRA training runs and learning progress."""

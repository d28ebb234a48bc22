"""Puts trained LoRA adapters into use: tests them, promotes them, rolls them back, and publishes
them to Ollama.
"""

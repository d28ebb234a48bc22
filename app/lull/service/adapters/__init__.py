"""Serves LoRA adapters, from Lull's own engine or through Ollama, and answers requests about
them.
"""

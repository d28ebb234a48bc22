"""Reads and writes model weights in GGUF, Ollama's file format."""

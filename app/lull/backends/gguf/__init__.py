"""Model weights in GGUF, Ollama's file format."""

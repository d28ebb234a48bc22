"""The built-in engine's answers to clients, in the shapes of Ollama."""

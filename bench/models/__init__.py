"""The models that are asked: any endpoint, an Ollama's face before another server, and scripts."""

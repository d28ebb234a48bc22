"""Reads chat requests, forwards them to Ollama or Lull's own engine, and relays the answers."""

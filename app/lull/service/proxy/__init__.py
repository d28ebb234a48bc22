"""Reads chat requests, forwards them to Ollama or the engine, and relays the answers."""

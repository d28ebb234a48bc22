"""Answers clients' requests with Lull's built-in engine, in Ollama's formats."""

"""Answers clients' requests with Lull's built-in inference engine, in Ollama's formats."""

"""Access to an Ollama server: its models, their facts, weight files and chats."""

"""Access to a local Ollama: facts, models, blobs and chats."""

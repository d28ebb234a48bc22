"""The proxy: reads clients' chat requests, forwards them to Ollama or to Lull's own inference
engine, and relays the answers.
"""

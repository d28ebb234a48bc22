"""Talks to an Ollama server: watches and manages its models, finds their weight files, and sends
chat requests.
"""

"""The models that benchmarks ask: any endpoint, an Ollama adapter for another server, and scripted
ones.
"""

"""Conversations of chat clients with a model: messages, hash chains of messages, recorded turns,
and what fits into a context window.
"""

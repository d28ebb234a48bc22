"""Represents conversations of chat clients with a model: messages, recorded turns, hash chains that
identify a conversation, and estimates of what fits into a context window.
"""

"""Conversations: messages, chains of requests, turns, and what fits a context window."""

"""Widgets that make the chat apps on this machine send their requests through Lull, or undo
that.
"""

"""Widgets to configure the chat apps on this machine to send their requests through Lull, and to
undo that.
"""

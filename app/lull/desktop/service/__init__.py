"""The service as the window sees it: its process, requests to it, its events, and all that is known
of its state.
"""

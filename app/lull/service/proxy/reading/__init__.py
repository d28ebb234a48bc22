"""Reads the bodies of requests: unpacks them, up to a size limit, and holds a chat request that has
been parsed.
"""

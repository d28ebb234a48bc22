"""Reads long request bodies in a child process, so that they do not delay other requests."""

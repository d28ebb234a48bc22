"""Reads long request bodies (over 256 kB or with very many JSON objects) in a child process, so
that parsing them does not delay other requests.
"""

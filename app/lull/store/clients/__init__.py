"""Reads and writes the configuration files of chat clients, and keeps records of what Lull changed
in them.
"""

"""Connects Lull to the world outside its process: language models, calendars, idle signals, the
keychain and other programs. Each backend implements an interface that `core` declares.
"""

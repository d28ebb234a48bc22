"""Decides which of the user's chat models may judge answers, find corrections in users' messages or
write skills (instruction texts) for Lull, and which model is trained.
"""

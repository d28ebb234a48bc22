"""Which of the user's models may judge answers, read messages or write texts for Lull, and which
one is trained.
"""

"""What a pattern of secrets is, and whether the value that one found in a text is really a secret,
judged by its letters and words.
"""

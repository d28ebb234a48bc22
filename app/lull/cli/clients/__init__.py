"""Commands of `lull connect`, which makes chat apps send their requests through Lull, or undoes
it.
"""

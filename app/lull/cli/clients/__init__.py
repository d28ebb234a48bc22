"""The commands of `lull connect`, which makes chat apps send their requests through Lull and can
undo that.
"""

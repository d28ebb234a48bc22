"""The Today page of Lull's window, which opens first and shows what happened lately and what needs
the user.
"""

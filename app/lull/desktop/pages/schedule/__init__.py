"""The Schedule page of Lull's window, which shows in a picture of the week when Lull may train on
its own.
"""

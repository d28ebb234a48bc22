"""The Review page, on which the user approves or rejects proposed skills (instruction texts), and
its dialogs.
"""

"""The Review page, on which the user approves or rejects proposed skills (short instructions to be
put into prompts), and its dialogs.
"""

"""The command `lull`: parses its words, asks the running service or the files, and prints the
answer as text or JSON.
"""

"""What all commands stand on: options and output, the connection to the running service, and texts
shown on a terminal.
"""

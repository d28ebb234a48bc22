"""What all subjects answer the window and the command line with: parsed requests, JSON, errors and
the results of checks.
"""

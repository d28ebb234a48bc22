"""What all subjects answer the window and the command line with: parsed requests, JSON, errors, the
views of records, and the results of checks.
"""

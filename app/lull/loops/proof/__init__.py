"""Proves by replays (past requests answered again with and without a skill in the prompt) that
proposed skills help, and monitors approved skills in use.
"""

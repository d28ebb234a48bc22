"""Reads, rates, deletes and expires stored conversations, as the window and command line ask."""

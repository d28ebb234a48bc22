"""Stores training runs (as database rows and folders on disk) and the answers sampled for
training.
"""

"""Runs the inference engine and the trainer as child processes, and prepares their weight
folders.
"""

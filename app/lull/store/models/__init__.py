"""Stores the results of exams (labelled items that decide whether a local chat model may judge
answers).
"""

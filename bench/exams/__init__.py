"""Measures the small feedback reader on the exam that ships with Lull; chat models must do as
well.
"""

"""Removes conversations from every table: moves old ones to the trash and back, and deletes those
that the user wants forgotten.
"""

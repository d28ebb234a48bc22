"""Translates the window's texts: reads catalogues of translations, and finds in them the texts that
Lull's service sends.
"""

"""Turns users' wishes into proposed skills (instruction texts), and approved proposals into active
skills.
"""

"""The commands `lull skills`, which lists and changes skills (instruction texts), and `lull
review`, which asks the user to approve proposed ones.
"""

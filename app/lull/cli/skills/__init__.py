"""The commands `lull skills`, which lists and changes skills (short texts put into prompts), and
`lull review`, which asks the user to approve proposed ones.
"""

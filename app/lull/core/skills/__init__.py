"""Skills (instruction texts): their texts and states, which skills a request gets, and how they are
put into the prompt.
"""

"""Skills (short instruction texts for prompts): their text and states, which of them a request
gets, and how they are put into the prompt.
"""

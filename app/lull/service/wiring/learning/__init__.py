"""Builds the parts that learn skills (instruction texts): the models that read feedback, judge
answers and write skills, and the proofs of skills by replay.
"""

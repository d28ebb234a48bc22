"""Builds the parts that learn skills: the models that read feedback, judge answers and write
skills, the proofs of skills, and the exams of models.
"""

"""What users say about a model's answers, the scores of answers from all sources, and how reliable
each source is.
"""

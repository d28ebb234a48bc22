"""Chat models to which Lull itself sends requests, mainly to judge answers and to write skills
(instruction texts).
"""

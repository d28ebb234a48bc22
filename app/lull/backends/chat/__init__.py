"""Chat models that Lull itself sends requests to, and their tasks: judging answers and writing
skills.
"""

"""The sentences that the lessons of the English model are made of: questions, system texts and the
wordings of rules.
"""

"""Models that classify the texts that users type: by feedback on answers, kind of request and
language.
"""

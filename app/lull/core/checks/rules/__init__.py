"""Parses plain-language rules: the kind of rule, numbers, quoted words, named things and scope."""

"""Whether the needed skill is found: Lull's retrieval against others, on libraries of three
sizes.
"""

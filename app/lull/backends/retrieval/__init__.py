"""Finds skills for requests: the skill index, the exemplar memory and embeddings."""

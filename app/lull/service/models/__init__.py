"""Chooses the model to train, tests which chat models may judge answers, and unloads models that
Lull's own work loaded.
"""

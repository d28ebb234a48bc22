"""The only place that names concrete classes: from settings and paths to a service that can run.

Nothing is imported here: who only reads a store does not pay for the whole service.
"""

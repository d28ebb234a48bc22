"""Builds a runnable service from settings and paths; the only place that chooses the concrete
classes behind the interfaces.

This package file imports nothing, so that reading a store does not load the whole service.
"""

"""Watches for lulls and runs work in them."""

"""Looks for installed chat clients and reads the syntax of their configuration."""

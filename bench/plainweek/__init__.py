"""Measures whether Lull learns what people say and rate in plain English, on the built-in model."""

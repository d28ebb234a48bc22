"""The toy language of the built-in model (a tiny model that ships with Lull), and everything that
depends on it.

It lets all of Lull be tested in seconds on any machine. Only the service wiring and the demo import
this package; they pass its parts on as ports.
"""

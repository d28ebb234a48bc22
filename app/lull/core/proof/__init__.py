"""Proof that a skill (an instruction text) helps: past requests are answered with and without it,
sequential tests decide, an evidence file records it, and after approval its effect is still
measured.
"""

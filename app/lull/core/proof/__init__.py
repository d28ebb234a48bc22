"""Proof that a skill (an instruction text) helps: past requests are answered with and without the
skill, sequential tests decide, and an evidence file records everything. After approval the skill's
effect is still measured.
"""

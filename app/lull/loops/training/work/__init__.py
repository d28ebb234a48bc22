"""Carries out the steps of training as units of background work that stop when the user comes back:
on the inference engine, and in the trainer's process.
"""

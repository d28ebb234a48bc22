"""Trains LoRA adapters on stored conversations: collects the training data, samples and scores
answers, and carries out the training runs.
"""

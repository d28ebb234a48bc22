"""Trains adapters from stored conversations: data, rollouts, rewards and runs."""

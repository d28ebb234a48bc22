"""Decides which LoRA adapters may answer users (the gate, a set of checks that include canary
prompts), which one answers a conversation, and when to return to the previous one (rollback).
"""

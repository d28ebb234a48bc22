"""What Lull does, step by step: serving a chat, learning skills from feedback (the fast loop),
training LoRA adapters while the user is away (the slow loop). One file for each course of events.
"""

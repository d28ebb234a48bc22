"""LoRA adapters: their states, the gate (the checks an adapter must pass before it answers users),
canary prompts, and the rollback of an adapter that does harm.
"""

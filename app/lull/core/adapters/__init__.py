"""LoRA adapters: their states, the gate (the checks an adapter must pass before it answers users),
canary prompts, and the return to the previous adapter (rollback) if one does harm.
"""

"""What a training step costs, and what an interruption does: `python -m bench trainer`."""

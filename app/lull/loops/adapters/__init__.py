"""Takes a trained adapter into use: the gate, promotion and publishing."""

"""The small model that is taught and examined: run by MLX as the service runs it, or by PyTorch."""

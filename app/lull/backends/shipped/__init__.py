"""Makes folders of MLX weights from the models that ship with Lull, when they are first needed."""

"""The models that ship with Lull, made into folders of MLX weights at first need."""

"""The models that ship with Lull: describes them, and makes folders of MLX weights from them when
they are first needed.
"""

"""The configuration files of chat clients, and what Lull changed in them."""

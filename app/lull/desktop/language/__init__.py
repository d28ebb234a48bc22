"""The catalogues of translated texts, and how a text of the service is found in them."""

"""The languages of the window: catalogues of translated texts, and the choice among them."""

"""The languages of the window: catalogues of translated texts, and which of them is in force."""

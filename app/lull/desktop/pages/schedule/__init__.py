"""The Schedule page: when Lull may train on its own, drawn as a picture of the week."""

"""Commands of `lull model`, which lists language models and chooses the one to train."""

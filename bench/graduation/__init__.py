"""Does a proved skill move into the weights: rules drawn anew, each through Lull's whole path."""

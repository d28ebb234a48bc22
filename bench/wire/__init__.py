"""What Lull adds to a request, beside the floor: the same machine, the same run."""

"""Tables of labels and rewards."""

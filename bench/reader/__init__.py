"""The feedback reader: its training, and its accuracy on people it has not seen."""

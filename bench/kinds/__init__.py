"""What kind of thing a request asks for: sentences of our own, training, and the exam."""

"""Training runs: eligible data, the specification, examples, events and the record."""

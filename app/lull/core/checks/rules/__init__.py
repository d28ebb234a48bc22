"""What a rule in plain words says of a check: its class by exact forms, numbers, quoted words,
named things, and of which requests it speaks."""

"""Tables of adapters, their files, and the gate's measurements."""

"""Chat clients on this machine: where their configuration lies and how it is pointed at Lull."""

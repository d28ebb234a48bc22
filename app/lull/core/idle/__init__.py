"""When the machine is idle: signals, gates, hours, and forecasts of how long it stays idle."""

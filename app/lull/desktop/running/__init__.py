"""How the service is kept running: its port, and what closing the window does."""

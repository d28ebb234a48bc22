"""How a chat client is pointed at Lull and back."""

"""Points chat clients on this machine at Lull's proxy, and back."""

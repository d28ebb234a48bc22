"""`lull connect`: points chat clients at Lull and back."""

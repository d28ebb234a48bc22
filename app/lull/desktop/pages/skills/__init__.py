"""The Skills page."""

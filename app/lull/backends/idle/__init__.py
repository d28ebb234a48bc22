"""Platform-specific signals of whether someone is using the machine, such as recent input."""

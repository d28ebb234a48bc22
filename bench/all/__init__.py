"""Every bench in one go, and the page that shows what they wrote."""

"""Calendar events and the feeds (iCalendar addresses or files) that they come from."""

"""The Today page, which shows first what happened and what needs the user."""

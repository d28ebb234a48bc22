"""Chooses the model that learns, and examines models before they may read, judge or write."""

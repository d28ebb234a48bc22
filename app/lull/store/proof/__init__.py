"""Tables of proposals, replays and holdouts."""

"""Reading, forgetting and retention of stored conversations."""

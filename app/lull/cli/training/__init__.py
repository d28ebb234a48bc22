"""Commands of `lull train`, which shows, starts and cancels training runs."""

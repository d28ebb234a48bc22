"""User ratings, feedback read from messages, and the jobs that learn skills from them."""

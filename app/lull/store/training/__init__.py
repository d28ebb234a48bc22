"""Tables of training runs and rollouts, and the run folders."""

"""Skills: their text and states, which of them a request gets, and the prompt block."""

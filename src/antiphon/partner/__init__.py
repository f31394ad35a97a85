"""The simulated people on the other side of a conversation."""

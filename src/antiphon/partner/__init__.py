"""The partner: the simulated person on the other side of an episode."""

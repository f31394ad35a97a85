"""Full-Duplex-Bench 1.0, 1.5 and 3.0 on the user's copy of the data; implemented from its description."""

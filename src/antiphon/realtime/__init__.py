"""The runtime: a full-duplex agent that decides whether, when and how to speak."""

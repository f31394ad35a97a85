"""Weight files: what they are, where they come from, and proof that they are the right bytes."""

"""Judges: a chat model asked for a verdict, with its prompt, answer and cost kept."""

"""Antiphon: measure, run and train real-time voice agents."""

__version__ = "0.1.0"

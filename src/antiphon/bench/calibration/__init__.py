"""Measuring judges against replies that people have labelled."""

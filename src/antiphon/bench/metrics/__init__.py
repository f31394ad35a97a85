"""Metrics, each a small pure module."""

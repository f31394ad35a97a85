"""Suites: a benchmark's items, how they are performed, and its metrics."""

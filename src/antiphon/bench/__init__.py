"""Benchmarks: items are performed, transcribed, scored and reported."""

"""Deciding: inputs in, effects out, without a clock and without input or output."""

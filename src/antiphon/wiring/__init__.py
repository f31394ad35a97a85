"""Where siblings meet."""

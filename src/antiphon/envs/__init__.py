"""Executable environments: domains, tasks, episodes, checks and verdicts."""

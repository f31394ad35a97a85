"""A resumable keyed map over records."""

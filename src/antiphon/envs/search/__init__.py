"""Search training: whether to search, what to query, how to answer from evidence (section 4.5)."""

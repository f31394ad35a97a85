"""Reporting progress before tool calls: rules, labels, checks (section 4.6)."""

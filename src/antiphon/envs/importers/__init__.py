"""Importers: real corpora as ordinary domain folders, and tool definitions as seeds of new domains."""

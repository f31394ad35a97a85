"""Bridges out: a domain's episodes in the loops of trainers, environment libraries and MCP clients."""

"""What a server keeps on request: recordings and traces of sessions."""

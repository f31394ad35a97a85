"""A separate process without network, files or other processes, in which generated tools run."""

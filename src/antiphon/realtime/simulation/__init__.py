"""Sessions in virtual time: people from a script, ears that are told or that hear, and sessions on disk."""

"""The starter suite: items written for Antiphon, in the published format, with their text inside."""

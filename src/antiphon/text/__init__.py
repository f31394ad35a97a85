"""Words: normalisation both ways, script, tonal syllables, alignment."""

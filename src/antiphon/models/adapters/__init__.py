"""One file for each thing that Antiphon talks to."""

"""The creation pipeline: from texts to a spoken dataset in the published format, with a person in the loop."""

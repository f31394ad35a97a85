"""The OpenAI Realtime dialect (GA), sans-IO, with the spellings of those who say it otherwise."""

"""The OpenAI Realtime (GA, beta) and Live protocols, told and obeyed."""

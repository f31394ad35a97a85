"""One session in real time: ear, recogniser, model, voice and playout around an engine."""

"""Sound: clips, files, levels, voice activity, telephone coding."""

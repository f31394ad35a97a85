"""Sets of scripted sessions that measure a turn policy, with their own phrases."""

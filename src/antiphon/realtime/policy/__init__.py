"""Turn policies, and what words say of the floor and of whom speech is for."""

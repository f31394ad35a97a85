"""From scored rollouts to the next generation of tasks (section 4.3)."""

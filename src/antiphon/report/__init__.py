"""Pages and tables that people look at."""

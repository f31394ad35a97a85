"""What words do in a talk with an agent, learned from lines that people wrote: dialogue acts and their odds."""

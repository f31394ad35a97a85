"""VocalBench-zh (arXiv 2511.08230): its subsets, its loader and our judge prompts for it."""

"""The English VocalBench, the parent of VocalBench-zh."""

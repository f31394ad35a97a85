"""What models and endpoints speak, as sans-IO codecs: one file for each dialect."""

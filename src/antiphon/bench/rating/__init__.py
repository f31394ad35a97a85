"""Rating replies by hand: blind, on a local page, to be compared with a judge and with other raters."""

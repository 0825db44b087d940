"""Measuring models: counts next to published figures, counts of each formulation, and times next to other libraries.

Each library is a Peer in one small file, and none is required: a library that is not installed, or cannot represent a
robot, gives the reason. Results are frozen data, rows for the command line or a web page to draw.
"""

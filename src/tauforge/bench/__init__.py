"""Models measured: counted beside published figures, by each formulation, and timed beside other libraries.

Each library is a Peer, one small file, and none is needed: what is not installed or cannot hold a robot says why.
What is found is frozen data, rows that the command line or a page draws.
"""

"""Our compiled functions beside other libraries': the same robot, the same states, one run.

Each library is a Peer, one small file, and none is needed: what is not installed or cannot hold a robot says why.
"""

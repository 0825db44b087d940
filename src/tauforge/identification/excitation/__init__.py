"""Exciting trajectories: motions from which a robot's parameters can be identified well."""

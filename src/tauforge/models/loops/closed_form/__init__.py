"""Loops closed in closed form: a cycle of poses and unknown joints, solved as a triangle in a plane or as a leg."""

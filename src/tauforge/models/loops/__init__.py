"""Closed loops: their equations, how they can move, how they are closed, and the map from independent joints."""

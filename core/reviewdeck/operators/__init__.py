"""Operators: what a process descends from, their keys, and what they signed."""

"""A demo home of a small software team, for trying everything without risk."""

from reviewdeck.demo.home import MARKER, write_demo

__all__ = ["MARKER", "write_demo"]

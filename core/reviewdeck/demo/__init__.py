"""A made-up home of a small software team, to try everything on without risk."""

from reviewdeck.demo.home import MARKER, write_demo

__all__ = ["MARKER", "write_demo"]

"""The former names of the engine, until nothing uses them."""

from reviewdeck.engine.engine import Engine as EngineContext
from reviewdeck.engine.engine import id_from

__all__ = ["EngineContext", "id_from"]

"""The background reviewer: a fork of the conversation that proposes and never writes."""

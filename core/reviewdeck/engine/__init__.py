"""The engine: stages, judges, decides, applies, takes back. What is outside it asks of ports."""

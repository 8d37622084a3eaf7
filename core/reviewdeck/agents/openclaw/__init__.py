"""The gate before OpenClaw's file tools: a plugin in JavaScript, and the program that it asks.

The plugin only finds out which files a call is about. What is staged, and how, is decided here.
"""

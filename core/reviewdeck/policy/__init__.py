"""The policy: what may be applied without an operator, and why the rest may not."""

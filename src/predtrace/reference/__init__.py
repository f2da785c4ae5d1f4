"""Oracles: what lineage must be, found without any of the machinery that infers it."""

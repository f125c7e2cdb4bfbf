"""Factors of an estimate: what the reports of one attribute or group tell of the true answers."""

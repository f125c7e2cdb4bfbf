"""Regressions on the answers of a study: asked, fitted, told and written."""

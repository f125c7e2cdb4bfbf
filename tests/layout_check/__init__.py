"""Looks at a window as it stands: is all text seen, is everything in its place, has it a name?"""

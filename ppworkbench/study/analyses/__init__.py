"""Analyses that the window and the command line share; nothing here needs Qt."""

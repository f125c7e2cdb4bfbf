"""The window of the workbench."""

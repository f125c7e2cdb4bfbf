"""Everything the workbench computes; nothing here imports Qt."""

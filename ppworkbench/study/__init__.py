"""The document of the workbench, free of Qt."""

"""The commands: one file per group, each with ``add_commands(subparsers)``."""

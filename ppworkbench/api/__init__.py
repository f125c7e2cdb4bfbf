"""The public Python interface: what ``import ppworkbench`` offers, and the command line uses."""

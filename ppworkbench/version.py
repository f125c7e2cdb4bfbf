"""The version of the program; :mod:`ppworkbench` gives it as ``ppworkbench.__version__``."""

__version__ = "0.1.0"

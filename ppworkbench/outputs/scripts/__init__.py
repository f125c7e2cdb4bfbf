"""Scripts that give a result again from exported files: Python for all, R and Stata for some.

The languages are told here, where the command line can read them without loading the study.
"""

PYTHON, R, STATA = "python", "r", "stata"
SCRIPT_NAMES = {PYTHON: "Python", R: "R", STATA: "Stata"}
SCRIPT_SUFFIXES = {PYTHON: ".py", R: ".R", STATA: ".do"}

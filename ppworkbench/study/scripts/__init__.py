"""Scripts that give a result again from exported files: Python for all, R and Stata for some."""

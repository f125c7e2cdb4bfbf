"""Studies as files: written, opened, remembered and recovered."""

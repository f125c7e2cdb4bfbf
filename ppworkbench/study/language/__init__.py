"""The languages of the program, and its texts in them; nothing here needs a window."""

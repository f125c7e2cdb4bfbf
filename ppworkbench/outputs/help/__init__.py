"""The help: the pages of ``resources/help``, their index, and the user guide made of them."""

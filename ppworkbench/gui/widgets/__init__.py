"""Building blocks of the pages; none of them knows the study."""

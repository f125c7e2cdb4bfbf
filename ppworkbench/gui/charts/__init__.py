"""Charts in the colours of the theme; the three roles look alike in all of them."""

"""Questions before anybody is asked: how many people, which design, what it costs."""

"""Planning a survey: what n people can show, which questions decide, and what a device costs."""

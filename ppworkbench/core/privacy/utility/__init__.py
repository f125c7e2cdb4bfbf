"""What a distortion costs: errors of the estimates, and how many respondents make up for it."""

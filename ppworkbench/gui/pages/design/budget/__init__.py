"""The privacy budget of the whole questionnaire, and how it is shared out."""

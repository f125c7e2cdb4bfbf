"""The page that randomises at the respondent, and the cards that tell people how."""

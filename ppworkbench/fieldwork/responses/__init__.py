"""Answers that people gave on a survey platform, brought into a study."""

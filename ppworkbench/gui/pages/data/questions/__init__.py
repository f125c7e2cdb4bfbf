"""What people are asked, in the words they read: the editor of the questionnaire."""

from ppworkbench.gui.pages.data.questions.page import QuestionsPage

__all__ = ["QuestionsPage"]

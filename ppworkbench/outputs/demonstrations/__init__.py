"""Demonstrations: text files that set the workbench up step by step, and what they say.

- ``demonstration``: what a demonstration holds, and the list of those that there are;
- ``reader``: ``read_demonstration(path)``, with one sentence for every mistake;
- ``arrange``: ``setup_at(demonstration, step)`` and the study that it stands for;
- ``calculations``: numbers of a study, worked out while people look.
"""

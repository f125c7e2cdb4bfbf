"""Demonstrations: text files that set the workbench up step by step, and what they say.

- ``heads``: the list of demonstrations, without what makes them work;
- ``reader``: ``read_demonstration(path)``, with one sentence for every mistake;
- ``arrange``: ``setup_at(demonstration, step)`` and the study that it stands for;
- ``figures``: numbers of a study, worked out while people look.
"""

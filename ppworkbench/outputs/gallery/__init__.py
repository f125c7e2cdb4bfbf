"""Published surveys entered as counts, and what the program makes of them.

- ``surveys``: ``read_gallery(language)``, and the study that a survey is rebuilt as;
- ``compare``: ``compare_survey(survey)``, the published number beside ours, worked out now;
- ``tables``: the comparison for people, programs and files.
"""

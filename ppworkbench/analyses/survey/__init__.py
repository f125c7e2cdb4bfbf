"""Questions to the distorted answers of a study: asked, answered, kept, split and written."""

# Whoever asks a question finds all statistics registered.
from ppworkbench.analyses.survey import (
    model_statistics,
    number_statistics,
    table_statistics,
)

__all__ = ["model_statistics", "number_statistics", "table_statistics"]

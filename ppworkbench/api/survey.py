"""Surveys of randomised answers, which every question about them is a method of."""

from __future__ import annotations

from ppworkbench.analyses.source import OPEN, Source
from ppworkbench.api.questions import SurveyMethods


class Survey(SurveyMethods, Source):
    """Randomised answers, their design, and how the respondents were drawn.

    Parameters
    ----------
    data
        Reported answers: a DataFrame with the answers as values, a table of :func:`read`, or the
        path of a file. A file is read anew for every question; read it once to ask many. A folder
        of Parquet parts, or its fsspec address, is counted where it lies; quantiles, comparisons,
        correlations, and what takes weights, strata or clusters, bring the different records of
        the columns that they need together, of up to 20,000,000 rows.
    design
        The design of the answers, its JSON values or the path of its file. A file that was written
        with its codebook brings its own. Without one no answer is taken as randomised, and results
        are those of an ordinary survey; folders of parts need one.
    weights, person
        The columns that tell how many people a row stands for, and who answered in several waves.
    strata, cluster
        One or several columns whose combinations are the strata; that of the first-stage units.
    population
        First-stage units in the population of the stratum, or the sampled fraction: a column, or
        one number for all.
    replicates
        Replicate weights as ``{"columns": [...], "method": "jk1"}``, used in place of strata and
        clusters.
    sampling
        Whether the roles are used that the design names; a :class:`Sampling` takes their place.
        Roles that are given by name go before both.
    options
        How the sampling is used: ``target``, ``lonely``, ``interval``, ``degrees_of_freedom``.
    original
        True answers of the same people, for comparison in trials.
    reading
        How files are read, as the keywords of :func:`read`.
    seed
        Where everything starts that is drawn.
    engine
        Who works on a folder of parts: ``"local"``, ``"local:4"`` or ``"dask://HOST:PORT"``.
    progress
        Called with the share that is done and what is being done; may raise to stop.

    Examples
    --------
    >>> import pandas as pd
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"fare_evasion": {
    ...     "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> answers = pd.DataFrame({"fare_evasion": ["yes"] * 40 + ["no"] * 60})
    >>> found = Survey(answers, design).share("fare_evasion")
    >>> round(found.estimate, 3), round(found.standard_error, 3)
    (0.3, 0.098)
    """

    without_design = OPEN

    def __repr__(self) -> str:
        """The design and the roles."""
        roles = "" if self.sampling is None else f", sampling {self.sampling.to_json()}"
        return f"<Survey of {', '.join(self.design.names[:6])}{roles}>"

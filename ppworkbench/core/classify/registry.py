"""The list of all classifiers, by the names that commands and files use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ppworkbench.core.registry import Registry

if TYPE_CHECKING:
    from ppworkbench.core.classify.classifier import Classifier

classifiers: Registry[type[Classifier[Any]]] = Registry("classifier")
"""``classifiers["tree"]`` is the class; ``classifiers.entry("tree").label`` what people read.

The class itself holds the rest: ``params_type`` declares the parameters, ``help_topic`` names the
text in the help, ``is_reference`` tells that it learns from undistorted records only.
"""

"""What a design tells about single answers and what it costs: one measure per file."""

from ppworkbench.core.privacy.agrawal_srikant import agrawal_srikant_widths
from ppworkbench.core.privacy.assess import assess, assess_attribute, cautions, matrix_of, priors_of
from ppworkbench.core.privacy.attack import AttackSuccess, attack_success
from ppworkbench.core.privacy.basic import basic_privacy
from ppworkbench.core.privacy.belief import SensitiveBelief, sensitive_belief
from ppworkbench.core.privacy.conditional import ConditionalPrivacy, conditional_privacy
from ppworkbench.core.privacy.deniability import deniability
from ppworkbench.core.privacy.entropy import entropy_privacy, noise_entropy_privacy
from ppworkbench.core.privacy.entropy import range_privacy as range_percent
from ppworkbench.core.privacy.epsilon import amplification, joint_epsilon
from ppworkbench.core.privacy.epsilon import epsilon as matrix_epsilon
from ppworkbench.core.privacy.joint import Joint, bits
from ppworkbench.core.privacy.number_view import NumericPosterior, number_view
from ppworkbench.core.privacy.posterior import (
    Belief,
    breach,
    largest_rise,
    worst_posterior,
)
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.pse import (
    group_pse,
)
from ppworkbench.core.privacy.questionnaire import at_least, summarise
from ppworkbench.core.privacy.reading import Reading, percent, plain
from ppworkbench.core.privacy.reinterrogation import (
    ReinterrogationPrivacy,
    reconstruction_probability,
    reinterrogation_privacy,
)
from ppworkbench.core.privacy.report import (
    AttributeReport,
    GroupReport,
    PrivacyReport,
    QuestionnaireReport,
)
from ppworkbench.core.privacy.sets import surest_set
from ppworkbench.core.privacy.spending import distorted_epsilon, share_asked

__all__ = [
    "AttackSuccess",
    "AttributeReport",
    "Belief",
    "ConditionalPrivacy",
    "GroupReport",
    "Joint",
    "NumericPosterior",
    "Prior",
    "PrivacyReport",
    "QuestionnaireReport",
    "Reading",
    "ReinterrogationPrivacy",
    "SensitiveBelief",
    "agrawal_srikant_widths",
    "amplification",
    "assess",
    "assess_attribute",
    "at_least",
    "attack_success",
    "basic_privacy",
    "bits",
    "breach",
    "cautions",
    "conditional_privacy",
    "deniability",
    "distorted_epsilon",
    "entropy_privacy",
    "group_pse",
    "joint_epsilon",
    "largest_rise",
    "matrix_epsilon",
    "matrix_of",
    "noise_entropy_privacy",
    "number_view",
    "percent",
    "plain",
    "priors_of",
    "range_percent",
    "reconstruction_probability",
    "reinterrogation_privacy",
    "sensitive_belief",
    "share_asked",
    "summarise",
    "surest_set",
    "worst_posterior",
]

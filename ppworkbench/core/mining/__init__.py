"""Frequent itemsets and rules from distorted answers."""

from ppworkbench.core.itemsets.search import Level
from ppworkbench.core.mining.chance import Chance, expected_by_chance
from ppworkbench.core.mining.entry_privacy import EntryPrivacy, entry_privacy
from ppworkbench.core.mining.errors import LengthErrors, length_errors, match
from ppworkbench.core.mining.mask import Apriori, Mask, Mmask
from ppworkbench.core.mining.miner import Miner, MiningResult, mine, miners
from ppworkbench.core.mining.reinterrogation import mined_privacy
from ppworkbench.core.mining.rules import RuleParams, Rules, find_rules
from ppworkbench.core.mining.shrinkage import ShrinkageMask

__all__ = [
    "Apriori",
    "Chance",
    "EntryPrivacy",
    "LengthErrors",
    "Level",
    "Mask",
    "Miner",
    "MiningResult",
    "Mmask",
    "RuleParams",
    "Rules",
    "ShrinkageMask",
    "entry_privacy",
    "expected_by_chance",
    "find_rules",
    "length_errors",
    "match",
    "mine",
    "mined_privacy",
    "miners",
]

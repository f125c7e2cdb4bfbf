"""The trade-off of one question: privacy as chosen against the precision of its estimate."""

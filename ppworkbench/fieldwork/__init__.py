"""Asking people and taking in what they say: pages, cards, forms, the collector, exports."""

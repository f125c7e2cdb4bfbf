"""Short ways through the Design page."""


def perturbation(page, name):
    """How an attribute is distorted now."""
    return page.store.study.design[name].perturbation


def select(page, *names):
    """Show these attributes, the first one in the editor."""
    page.store.select(names)

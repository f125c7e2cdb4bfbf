"""Questions to the distorted answers of a study: asked, answered, kept, split and written."""

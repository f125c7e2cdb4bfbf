"""What is passed on: deniable tables, bundles and reports."""

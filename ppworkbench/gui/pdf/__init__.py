"""What is printed to PDF files: reports, cards and the papers of a kit."""

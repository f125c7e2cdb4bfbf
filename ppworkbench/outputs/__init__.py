"""What leaves the program: reports, bundles, scripts, help, demonstrations."""

"""What randomising true answers loses: draws, reconstructions, classifiers and attackers."""

"""What an analysis gives back: sentences, sheets and pictures, and what renders them."""

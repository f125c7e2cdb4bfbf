"""Tables of answers: kinds, values and domains, files in and out, samples."""

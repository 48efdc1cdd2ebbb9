"""Real tables: files with checksums, normalisations, splits. Everything is fitted to training rows alone, and nothing
here knows what is trained."""

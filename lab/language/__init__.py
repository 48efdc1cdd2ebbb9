"""Language models with published weights: shapes, families, positions, tokens, scoring. Nothing here trains, downloads
or makes a prompt."""

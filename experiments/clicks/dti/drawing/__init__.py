"""Panels that several figures of `dti` have. A file here is no figure, so it has no caption."""

"""Panels that several figures of comparisons have. A file here is no figure, so it has no caption and no claims."""

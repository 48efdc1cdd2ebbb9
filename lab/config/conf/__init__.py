"""The configuration from which Hydra starts. There are YAML files alone, and no experiment: these lie beside their
kinds."""

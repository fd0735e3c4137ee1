"""The version of the package: beside its face, so that no module imports the face."""

__version__ = "0.2.0"

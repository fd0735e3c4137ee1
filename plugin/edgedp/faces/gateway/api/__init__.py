"""The HTTP API, made of the options of releases. Plans refuse; nothing is checked twice."""

"""From a name, an address or a folder to bytes of a known format."""

"""What a request meets before any graph: limits, settings, errors, measurements. It opens no store."""

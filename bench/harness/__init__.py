"""What measures the rows and writes the page."""

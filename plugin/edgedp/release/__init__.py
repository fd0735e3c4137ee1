"""What is asked, priced, drawn and answered. It debits nothing and opens no store."""

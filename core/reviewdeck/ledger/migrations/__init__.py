"""How the ledger's schema came to be."""

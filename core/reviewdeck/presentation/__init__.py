"""Words and views of proposals, documents and changes: shared by the command line and the deck."""

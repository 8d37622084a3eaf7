"""`python -m reviewdeck_tui`: the deck, as the command line opens it."""

import sys

from reviewdeck.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())

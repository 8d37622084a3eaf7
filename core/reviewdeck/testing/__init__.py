"""What another package tests its own part of reviewdeck with. It needs pytest; the program never
loads it.
"""

import pytest

pytest.register_assert_rewrite("reviewdeck.testing.home_contract")

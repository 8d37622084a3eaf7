"""Test suites for packages that extend reviewdeck. They need pytest; the program loads none."""

import pytest

pytest.register_assert_rewrite("reviewdeck.testing.home_contract")

"""What `doctor` says of how decisions are authorised."""

from __future__ import annotations

from tests.operators.signed import Office

from reviewdeck.cli.doctor import DoctorCheck, Level, check_operators


def checks_of(office: Office) -> dict[str, DoctorCheck]:
    return {check.name: check for check in check_operators(office.locked())}


def test_doctor_tells_the_truth_of_each_tier(office: Office) -> None:
    fresh = checks_of(office)["decisions"]
    assert "unsigned (tier 0)" in fresh.message and "reviewdeck init" in fresh.hint
    office.init()
    signed = checks_of(office)
    assert "signed (tier 1), 1 operator: dana" in signed["decisions"].message
    assert signed["policy"].level is Level.OK
    office.policy.write_text("version = 1\n")
    assert "automatic approval is off" in checks_of(office)["policy"].message
    (office.root / "operators" / "operators.jsonl").unlink()
    assert checks_of(office)["decisions"].level is Level.BAD

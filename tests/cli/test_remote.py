"""The same commands on another machine, over ssh."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cli.program import Program, run_here
from tests.operators.terminals import typed
from tests.working.kit import eventually

from reviewdeck.cli.remote import command_line, take_host
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.ports.authority import Process

_KNOWN = ("sh", "bash", "dash", "zsh", "ksh", "fish", "tcsh")
SHELLS = [shell for shell in _KNOWN if shutil.which(shell)]
SSHD = shutil.which("sshd") if Path("/run/sshd").is_dir() else None
SSH = """#!/bin/sh
printf '%s\\n' "$@" > "{log}"
while [ "$1" != -- ]; do shift; done
shift 2
exec sh -c "$1"
"""
ECHO = f"""#!{sys.executable}
import json, os, sys
print(json.dumps([os.fsencode(word).hex() for word in sys.argv[1:]]))
"""
PAUSE = """#!/bin/sh
echo $$ > "{mark}.part"
mv "{mark}.part" "{mark}"
exec sleep 600
"""
HOSTILE = (
    "it's",
    '"$(touch x)"',
    "a\\b\\\\",
    "!!",
    "`x`",
    "*?[a]",
    "~",
    "",
    "a\nb\n",
    "ä €",
    "%s\\0",
    "-n",
)


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs on PATH: a stand-in for ssh, which runs the command here, and this reviewdeck."""
    folder = tmp_path / "programs"
    folder.mkdir()
    put(folder / "ssh", SSH.format(log=tmp_path / "ssh.log"))
    put(folder / "reviewdeck", f'#!/bin/sh\nexec "{sys.executable}" -m reviewdeck.cli.main "$@"\n')
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def put(path: Path, script: str) -> None:
    """A program."""
    path.write_text(script)
    path.chmod(0o755)


def run(program: Program, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own: ssh writes to that process's own output."""
    command = [sys.executable, "-m", "reviewdeck.cli.main", *words]
    command += ["--home", str(program.home), "--ledger", str(program.ledger)]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def received(shell: str, words: list[str], env: Mapping[str, str]) -> list[str]:
    """What the program on the other machine is given, whose user has this shell."""
    line = command_line(words, {})
    ran = subprocess.run([shell, "-c", line], env=dict(env), capture_output=True, check=True)
    return [os.fsdecode(bytes.fromhex(word)) for word in json.loads(ran.stdout)]


@pytest.mark.parametrize("shell", SHELLS)
@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(words=st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_every_shell_passes_the_exact_words_on(there: Path, shell: str, words: list[str]) -> None:
    put(there / "reviewdeck", ECHO)
    for each in (words, [*HOSTILE, os.fsdecode(b"\xff\xfe")]):
        assert received(shell, each, {"PATH": os.environ["PATH"], "HOME": "/"}) == each


def test_a_command_runs_on_the_ledger_of_that_machine(program: Program, there: Path) -> None:
    program("status")
    ran = run(program, "--host", "me@there", "list", "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    items = json.loads(ran.stdout)
    assert [item["id"] for item in items] == [item["id"] for item in program.read("list")]
    log = (there.parent / "ssh.log").read_text().splitlines()
    assert log[:3] == ["-T", "--", "me@there"]


def test_a_suggested_command_reaches_that_machine_again(program: Program, there: Path) -> None:
    (item, *_) = (one for one in program.read("list") if one["state"] == "ready")
    ran = run(program, "--host", "me@there", "diff", item["id"])
    assert f"reviewdeck --host me@there approve {item['id']} --digest " in ran.stdout
    missing = run(program, "--host", "me@there", "undo", "nope")
    assert "`reviewdeck --host me@there log`" in missing.stderr


def test_exit_codes_and_errors_come_through(program: Program, there: Path) -> None:
    ran = run(program, "--host=there", "show", "nothing-like-it", "--json")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert json.loads(ran.stdout)["error"]["code"] == "unknown-id"
    assert run(program, "--host=there", "nonsense").returncode == 2


@pytest.mark.parametrize(
    "words",
    [
        ["--host", "-oProxyCommand=touch x"],
        ["--host=-oProxyCommand=x"],
        ["--host", "me@-oProxyCommand=x"],
        ["--host", "-me@there"],
        ["--host", "there touch"],
        ["--host", "there\nx"],
        ["--host", "there\x1b[2J"],
        ["--host", ""],
        ["--host", "@there"],
        ["--host", "me@"],
        ["list", "--host"],
        ["--host", "a", "--host", "b"],
    ],
)
def test_what_is_no_machine_never_reaches_ssh(
    there: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    ran = run_here(capsys, *words)
    assert ran.code == 2 and "--host" in ran.err and ran.err.count("\n") == 1
    assert "\x1b" not in ran.err
    assert not (there.parent / "ssh.log").exists()


def test_a_missing_machine_is_said_to_be_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--host needs a machine." in run_here(capsys, "list", "--host").err


def test_the_option_is_taken_out_wherever_it_stands() -> None:
    assert take_host(["list", "--host", "me@a", "--json"]) == ("me@a", ["list", "--json"])
    assert take_host(["--host=a.example", "show", "--", "--host"])[1] == ["show", "--", "--host"]
    assert take_host(["reject", "--reason=--host=x"]) == (None, ["reject", "--reason=--host=x"])
    with pytest.raises(UsageProblem):
        take_host(["--host"])


def test_a_machine_without_reviewdeck_is_said_to_have_none(
    there: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (there / "reviewdeck").unlink()
    ran = run_here(capsys, "--host", "there", "status", "--json")
    assert ran.code == 1
    assert ran.json["error"] == {
        "code": "host-unavailable",
        "message": "There is no reviewdeck on there.",
        "hint": "Install it there, where a shell finds it: in ~/.local/bin, for example.",
    }


def test_a_machine_that_does_not_answer_and_a_missing_ssh_are_said(
    there: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(there / "ssh", "#!/bin/sh\nexit 255\n")
    ran = run_here(capsys, "--host", "there", "status")
    assert ran.code == 1 and "ssh did not reach there" in ran.err
    monkeypatch.setenv("PATH", "/nonexistent")
    ran = run_here(capsys, "--host", "there", "status")
    assert ran.code == 1 and "There is no ssh on this machine." in ran.err


def test_nothing_leaves_this_machine_below_an_agent(
    there: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Process(41, "hermes", ("hermes", "chat"))
    monkeypatch.setattr("reviewdeck.environment.process_ancestry", lambda: lambda: (agent,))
    ran = run_here(capsys, "--host", "there", "status")
    assert ran.code == 1 and "hermes" in ran.err
    assert not (there.parent / "ssh.log").exists()


def test_a_terminal_is_carried_with_its_colours(program: Program, there: Path) -> None:
    put(there / "reviewdeck", '#!/bin/sh\ntest -t 1 && echo "terminal $COLORTERM $*"\n')
    command = [sys.executable, "-m", "reviewdeck.cli.main", "--host", "there", "list"]
    said = typed(command, [], {**os.environ, "COLORTERM": "truecolor", "TERM": "xterm"})
    assert said.code == 0 and "terminal truecolor list" in said.screen
    assert (there.parent / "ssh.log").read_text().startswith("-t\n")


def test_ssh_ends_with_the_command_that_started_it(there: Path, tmp_path: Path) -> None:
    mark = tmp_path / "running"
    put(there / "reviewdeck", PAUSE.format(mark=mark))
    command = [sys.executable, "-m", "reviewdeck.cli.main", "--host", "there", "list"]
    with subprocess.Popen(command) as process:
        eventually(mark.exists)
        process.send_signal(signal.SIGTERM)
        process.wait()
    pid = int(mark.read_text())
    eventually(lambda: not is_alive(pid))


def is_alive(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(SSHD is None, reason="no sshd is set up on this machine")
def test_a_real_server_on_this_machine_runs_it(
    program: Program, there: Path, tmp_path: Path
) -> None:
    """A server of our own for one connection, to which ssh speaks through a pipe."""
    (there / "ssh").unlink()
    for name in ("host", "user"):
        key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(key, check=True)
    shutil.copy(tmp_path / "user.pub", tmp_path / "authorized")
    options = {
        "HostKey": str(tmp_path / "host"),
        "AuthorizedKeysFile": str(tmp_path / "authorized"),
        "StrictModes": "no",
        "PidFile": "none",
        "SetEnv": f"PATH={os.environ['PATH']}",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    put(tmp_path / "server", f"#!/bin/sh\nexec {SSHD} -i -f /dev/null {shlex.join(words)}\n")
    client = f"-o ProxyCommand={tmp_path / 'server'} -o StrictHostKeyChecking=no"
    client += f" -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -i {tmp_path / 'user'}"
    put(there / "ssh", f'#!/bin/sh\nexec /usr/bin/ssh {client} "$@"\n')
    put(there / "reviewdeck", ECHO)
    ran = run(program, "--host", "there", "list", *HOSTILE)
    assert ran.returncode == 0, ran.stderr
    words = [bytes.fromhex(word).decode() for word in json.loads(ran.stdout)]
    assert words[: len(HOSTILE) + 1] == ["list", *HOSTILE]

"""Commands that install a widely used program as its own page says: they wait, and no more."""

from __future__ import annotations

import re
from typing import Final

_SCRIPTS: Final = """
    aka.ms/install-azd.ps1 aka.ms/install-azd.sh aka.ms/installazureclideb app.factory.ai/cli
    apt.llvm.org/llvm.sh aspire.dev/install.ps1 aspire.dev/install.sh
    astral.sh/ruff/install.ps1 astral.sh/ruff/install.sh astral.sh/ty/install.ps1
    astral.sh/ty/install.sh astral.sh/uv/install.ps1 astral.sh/uv/install.sh
    astral.sh/uv/*/install.ps1 astral.sh/uv/*/install.sh bootstrap.pypa.io/get-pip.py
    bun.com/install bun.com/install.ps1 bun.sh/install bun.sh/install.ps1
    claude.ai/install.ps1 claude.ai/install.sh cli.doppler.com/install.sh cli.kiro.dev/install
    community.chocolatey.org/install.ps1 cursor.com/install deb.nodesource.com/setup_*.x
    deno.land/install.ps1 deno.land/install.sh deno.land/x/install/install.sh
    direnv.net/install.sh dl.dagger.io/dagger/install.sh dot.net/v1/dotnet-install.ps1
    dot.net/v1/dotnet-install.sh fluxcd.io/install.sh fly.io/install.sh fnm.vercel.app/install
    foundry.paradigm.xyz get-ghcup.haskell.org get.docker.com get.jetify.com/devbox get.k3s.io
    get.nextflow.io get.opentofu.org/install-opentofu.sh get.pnpm.io/install.ps1
    get.pnpm.io/install.sh get.pulumi.com get.rvm.io get.scoop.sh get.sdkman.io get.volta.sh
    get.wasmer.io getcomposer.org/installer gh.io/copilot-install
    github.com/j178/prek/releases/download/*/prek-installer.sh golangci-lint.run/install.sh
    install.determinate.systems/nix install.duckdb.org install.meteor.com
    install.python-poetry.org mise.jdx.dev/install.sh mise.run nixos.org/nix/install
    ollama.com/install.sh openclaw.ai/install.sh opencode.ai/install pixi.sh/install.ps1
    pixi.sh/install.sh pyenv.run
    raw.githubusercontent.com/anchore/grype/*/install.sh
    raw.githubusercontent.com/anchore/syft/*/install.sh
    raw.githubusercontent.com/aquasecurity/trivy/*/contrib/install.sh
    raw.githubusercontent.com/golangci/golangci-lint/*/install.sh
    raw.githubusercontent.com/helm/helm/*/scripts/get-helm-3
    raw.githubusercontent.com/homebrew/install/*/install.sh
    raw.githubusercontent.com/k3d-io/k3d/*/install.sh
    raw.githubusercontent.com/kubernetes-sigs/kustomize/*/hack/install_kustomize.sh
    raw.githubusercontent.com/nousresearch/hermes-agent/*/scripts/install.sh
    raw.githubusercontent.com/nvm-sh/nvm/*/install.sh
    raw.githubusercontent.com/ohmyzsh/ohmyzsh/*/tools/install.sh
    raw.githubusercontent.com/pyenv/pyenv-installer/*/bin/pyenv-installer
    raw.githubusercontent.com/rbenv/rbenv-installer/*/bin/rbenv-installer
    raw.githubusercontent.com/trufflesecurity/trufflehog/*/scripts/install.sh
    release.anza.xyz/*/install rpm.nodesource.com/setup_*.x run.linkerd.io/install
    rustwasm.github.io/wasm-pack/installer/init.sh sdk.cloud.google.com sh.rustup.rs
    starship.rs/install.sh tailscale.com/install.sh wasmtime.dev/install.sh zed.dev/install.sh
"""
"""Addresses in lower case; a star stands for a version or the main branch."""
_VERSION: Final = r"(?:v?\d{1,3}(?:\.\d{1,4}){0,3}|main|master|head|stable|lts|current)"
# A commit is no version: an address of a repository serves those of its forks too.
_URL: Final = (
    r"https://(?:"
    + "|".join(re.escape(one).replace(r"\*", _VERSION) for one in _SCRIPTS.split())
    + r")/?"
)
_GAP: Final = r"(?:[^\S\n]|\\\n)"
_OPTION: Final = (
    r"(?:-[fslqv]{1,6}|--proto(?:-redir)?[ =][\"']?=https[\"']?|--tlsv1\.[23]|--fail|--silent"
    r"|--show-error|--location|--quiet|-(?:q|nv)?o ?-|--retry \d)"
)
_LINK: Final = rf"[\"']?{_URL}[\"']?"
_FETCH: Final = (
    rf"(?:curl|wget)(?:{_GAP}+{_OPTION})*{_GAP}+{_LINK}(?:{_GAP}+{_OPTION})*"
    rf"|(?:irm|iwr|invoke-restmethod|invoke-webrequest){_GAP}+"
    rf"(?:-useb(?:asicparsing)?{_GAP}+)?{_LINK}"
)
_ARGUMENTS: Final = rf"(?:{_GAP}+-s)?(?:{_GAP}+--?)?(?:{_GAP}+-{{1,2}}[\w-]{{1,40}}){{0,6}}"
_SHELL: Final = r"(?:(?:/usr)?/bin/)?(?:ba|z|da)?sh"
_COMMAND: Final = re.compile(
    rf"(?:{_FETCH}){_GAP}*\\?\|{_GAP}*(?:sudo{_GAP}+(?:-e{_GAP}+)?)?"
    rf"(?:{_SHELL}{_ARGUMENTS}|iex|python3?(?:{_GAP}+-)?|php)"
    rf"|{_SHELL}{_GAP}+(?:-c{_GAP}+)?[\"']?(?:\$|<)\({_GAP}*(?:{_FETCH}){_GAP}*\)[\"']?{_ARGUMENTS}"
    rf"|iex{_GAP}*\({_GAP}*(?:{_FETCH}){_GAP}*\)"
    rf"|(?:curl|wget)(?:{_GAP}+{_OPTION})*{_GAP}+{_URL}{_GAP}+-o{_GAP}+(?P<file>[\w-]+\.(?:sh|py))"
    rf"{_GAP}*(?:&&|\n){_GAP}*(?:chmod{_GAP}+\+x{_GAP}+(?:\./)?(?P=file){_GAP}*(?:&&|\n){_GAP}*)?"
    rf"(?:sudo{_GAP}+)?(?:(?:{_SHELL}|python3?){_GAP}+(?:\./)?|\./)(?P=file)"
)
_BEHIND: Final = re.compile(
    r"[\"')\]]*(?:[`.,:*_]+[\"')\]]*(?=\s+[a-z(—–-]|\s*\Z|[^\S\n]*\n)|\s*\Z|[^\S\n]*(?:#[^\n]*)?\n)"
    r"(?!\s*(?:\||&))"
)
"""What may stand behind it: the end of the line, or of the quotation and more words."""
_IN_FRONT: Final = re.compile(r"[^=;&|{}<`\\/@]*\Z")
_HARMLESS: Final = re.compile(r"(?:\bsudo\s+)?(?:/usr)?/bin/(?:env\s+)?\Z|\$\s\Z")


def installer_end(text: str, start: int) -> int | None:
    """Where a command of a folded text ends that only installs a known program; else None.

    The command must be the whole of its line or quotation: its address is one of the list to the
    last character, its options change neither host nor certificate, and no other command is added.
    """
    match = _COMMAND.match(text, start)
    if match is None or not _BEHIND.match(text, match.end()):
        return None
    line = max(text.rfind("`", 0, start), _line_start(text, start)) + 1
    in_front = _HARMLESS.sub("", text[max(line, start - 400) : start])
    is_alone = _IN_FRONT.fullmatch(in_front) and not in_front.rstrip().endswith("$(")
    return match.end() if is_alone else None


def _line_start(text: str, at: int) -> int:
    """The line break before a place, but for those that a backslash continues."""
    line = text.rfind("\n", 0, at)
    return text.rfind("\n", 0, line) if line > 0 and text[line - 1] == "\\" else line

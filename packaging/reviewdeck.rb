# A formula for a tap: `brew install OWNER/TAP/reviewdeck`. With each release two lines change: the
# place and the hash of its sdist (`sha256sum dist/*.tar.gz`).
#
# What it installs is locked by hash in the sdist itself, in the versions that the release was tried
# with, so nothing is listed here a second time, as `resource` blocks would.
class Reviewdeck < Formula
  desc "Review what an agent proposes to remember before it is written"
  homepage "https://example.org/reviewdeck"
  url "https://example.org/reviewdeck/releases/reviewdeck-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "python@3.13"

  def install
    system Formula["python@3.13"].opt_bin/"python3.13", "-m", "venv", libexec
    pip = [libexec/"bin/python", "-m", "pip", "--disable-pip-version-check", "install", "--no-compile"]
    system(*pip, "--require-hashes", "--requirement", "constraints-run.txt")
    system(*pip, "--no-deps", "--no-build-isolation", ".")
    bin.install_symlink libexec/"bin/reviewdeck"
    generate_completions_from_executable(bin/"reviewdeck", "completion", shells: [:bash, :zsh, :fish])
    (man1/"reviewdeck.1").write Utils.safe_popen_read(bin/"reviewdeck", "completion", "man")
  end

  def caveats
    <<~TEXT
      Before you remove it, take each gate away: `reviewdeck hermes uninstall`, and so on.
      A gate whose program is gone refuses writes.
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/reviewdeck --version")
    system bin/"reviewdeck", "demo", testpath/"home"
    assert_match "waiting for you", shell_output("#{bin}/reviewdeck auto --home #{testpath}/home", 3)
  end
end

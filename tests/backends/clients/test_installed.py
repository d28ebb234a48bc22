"""Tests of finding which clients are installed, and in which version, without running them."""

from __future__ import annotations

from pathlib import Path

from lull.backends.clients.installed import ProgramsOnPath


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return path


def test_a_program_of_pip_has_the_version_of_its_package(tmp_path: Path) -> None:
    aider = program(tmp_path / "venv" / "bin", "aider")
    packages = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    for name in ("aider_chat-0.86.2.dist-info", "other-1.0.dist-info"):
        (packages / name).mkdir(parents=True)
    link = tmp_path / "bin" / "aider"
    link.parent.mkdir()
    link.symlink_to(aider)
    assert ProgramsOnPath(str(link.parent)).executable(["nothing", "aider"]) == link
    assert ProgramsOnPath(None).version(link, ["aider"]) == "0.86.2"


def test_a_program_of_npm_has_the_version_of_its_package(tmp_path: Path) -> None:
    folder = tmp_path / "lib" / "node_modules" / "@x" / "cli"
    script = program(folder / "dist", "cn.js")
    (folder / "package.json").write_text('{"name": "@x/cli", "version": "1.5.47"}')
    assert ProgramsOnPath(None).version(script, ["cn"]) == "1.5.47"


def test_what_is_unknown_has_no_version(tmp_path: Path) -> None:
    lonely = program(tmp_path / "bin", "zed")
    (tmp_path / "package.json").write_text("[")
    assert ProgramsOnPath(None).version(lonely, ["zed"]) is None
    assert ProgramsOnPath(None).version(tmp_path / "gone", ["zed"]) is None
    assert ProgramsOnPath(str(tmp_path / "empty")).executable(["zed"]) is None

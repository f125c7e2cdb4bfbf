"""Packages of the system that the program needs: which are missing, and who installs them."""

from __future__ import annotations

import pytest


@pytest.fixture
def system(load, monkeypatch):
    module = load("system_packages")
    monkeypatch.setattr(module.sys, "platform", "linux")
    monkeypatch.setattr(module, "can_load", lambda library: library != "libEGL.so.1")
    monkeypatch.setattr(module, "has_good_font", lambda: False)
    return module


def test_that_a_browser_that_cannot_be_had_stops_nothing(system, monkeypatch, capsys):
    monkeypatch.setattr(system.shutil, "which", lambda name: None)
    system.ensure_browser()
    assert "chromium chromium-driver" in capsys.readouterr().out
    monkeypatch.setattr(system.shutil, "which", lambda name: f"/usr/bin/{name}")
    system.ensure_browser()
    assert capsys.readouterr().out == ""


def test_that_only_missing_packages_are_named(system, monkeypatch):
    monkeypatch.setattr(system.shutil, "which", lambda name: None)
    assert [debian for debian, _ in system.missing_packages()] == ["fonts-inter", "libegl1"]
    assert ("xvfb", "xorg-x11-server-Xvfb") in system.missing_packages(screen_for_tests=True)


@pytest.mark.parametrize(
    ("manager", "advice"),
    [
        ("apt-get", "sudo apt-get install fonts-inter libegl1\n"),
        ("dnf", "sudo dnf install libglvnd-egl rsms-inter-fonts\n"),
    ],
)
def test_that_who_may_not_install_is_told_the_command(system, monkeypatch, capsys, manager, advice):
    monkeypatch.setattr(system.shutil, "which", lambda name: name if name == manager else None)
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000, raising=False)
    system.ensure()
    assert capsys.readouterr().out.endswith(advice)


def test_that_root_on_debian_installs_only_what_is_missing(system, monkeypatch):
    asked = []
    monkeypatch.setattr(system.shutil, "which", lambda name: name)
    monkeypatch.setattr(system.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(system, "install_with_apt", lambda names: asked.append(names) or True)
    system.ensure(screen_for_tests=True)
    assert asked == [["fonts-inter", "libegl1"]]


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_that_other_systems_bring_all_of_qt_themselves(system, monkeypatch, capsys, platform):
    monkeypatch.setattr(system.sys, "platform", platform)
    system.ensure()
    assert capsys.readouterr().out == ""

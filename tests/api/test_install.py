"""tests/install.sh: the real apt and dpkg, with a package repository and a package database of one's
own, in a mount namespace with and without /dev/pts."""
import os
import subprocess

import pytest

from conftest import ROOT, namespace

# What a package's script does that breaks where its standard error is closed, as ucf does.
POSTINST = "#!/bin/sh\nset -e\necho configuring >&2\n"


class Machine:
    def __init__(self, folder):
        self.folder = folder
        for name in ("repo", "dpkg/info", "dpkg/updates", "lists/partial", "cache/archives/partial", "log", "etc"):
            (folder / name).mkdir(parents=True)
        (folder / "dpkg/status").touch()
        (folder / "etc/sources.list").write_text(f"deb [trusted=yes] file:{folder}/repo ./\n")
        (folder / "apt.conf").write_text(f"""
            Dir::Etc "{folder}/etc";
            Dir::State::status "{folder}/dpkg/status";
            Dir::State::lists "{folder}/lists";
            Dir::State::extended_states "{folder}/extended_states";
            Dir::Cache "{folder}/cache";
            Dir::Log "{folder}/log";
            APT::Sandbox::User "root";
            APT::Architecture "amd64";
            Acquire::Retries "0";
            Dpkg::Options {{ "--admindir={folder}/dpkg"; "--log={folder}/log/dpkg.log"; "--force-not-root"; "--force-script-chrootless"; }};
            """)

    def package(self, name, needs=""):
        """One without files, so that nothing but the package database changes."""
        tree = self.folder / name
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: a test <a@test>\n"
                                             + (f"Depends: {needs}\n" if needs else "") + "Description: a test\n")
        script = tree / "DEBIAN/postinst"
        script.write_text(POSTINST)
        script.chmod(0o755)
        deb = self.folder / f"repo/{name}.deb"
        subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, deb], check=True, capture_output=True)
        packages = self.folder / "repo/Packages"
        size, sha256 = deb.stat().st_size, subprocess.run(["sha256sum", deb], check=True, capture_output=True, text=True).stdout.split()[0]
        with open(packages, "a", encoding="utf-8") as index:
            index.write((tree / "DEBIAN/control").read_text() + f"Filename: ./{name}.deb\nSize: {size}\nSHA256: {sha256}\n\n")
        return deb

    def run(self, *command, pts=True):
        hide = "" if pts else "mount -t tmpfs none /dev/pts && "
        env = os.environ | {"APT_CONFIG": str(self.folder / "apt.conf"), "DPKG_ADMINDIR": str(self.folder / "dpkg")}
        return subprocess.run([*namespace("--mount"), "sh", "-c", hide + 'exec "$@"', "sh", *command],
                              env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600, check=False)

    def install(self, *packages, pts=True):
        return self.run(ROOT / "tests/install.sh", "to test", *packages, pts=pts)

    def state(self, package):
        return self.run("dpkg-query", "--show", "--showformat", "${db:Status-Status}", package).stdout


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.mark.parametrize("pts", [True, False], ids=["pts", "no-pts"])
def test_what_is_missing_is_installed(machine, pts):
    machine.package("newcomer-a")
    done = machine.install("newcomer-a", pts=pts)
    assert done.returncode == 0, done.stdout + done.stderr
    assert machine.state("newcomer-a") == "installed"
    assert done.stdout == "Installing to test: newcomer-a\n", "percentages are for terminals"
    again = machine.install("newcomer-a", pts=pts)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_an_installation_that_was_interrupted_is_completed(machine):
    machine.package("newcomer-b")
    half = machine.package("newcomer-a", needs="newcomer-b")
    machine.package("newcomer-c")
    machine.run("apt-get", "update")
    machine.run("dpkg", "--force-not-root", "--unpack", half)
    assert machine.state("newcomer-a") == "unpacked"
    done = machine.install("newcomer-c")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [machine.state(f"newcomer-{name}") for name in "abc"] == 3 * ["installed"]
    assert "interrupted" in done.stdout


def test_without_a_network_one_sentence_says_so(machine):
    (machine.folder / "etc/sources.list").write_text("deb [trusted=yes] http://127.0.0.1:1/debian ./\n")
    done = machine.install("newcomer-a")
    assert done.returncode == 69
    assert "cannot reach the package servers" in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_a_package_that_nobody_has_is_named(machine):
    machine.package("newcomer-a")
    done = machine.install("newcomer-z")
    assert done.returncode == 69 and "newcomer-z" in done.stderr and "Get:" not in done.stderr

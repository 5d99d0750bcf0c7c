"""What `make install` and `make deb` put where, and that it runs from there."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import yaml

from conftest import BINARY, ROOT, Server


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def build_deb(out, epoch="1795000000"):
    """Stored rather than compressed: with a sanitizer in it the program takes xz six times as long as all else here."""
    run(ROOT / "service/package/deb.sh", BINARY, out,
        env=os.environ | {"SOURCE_DATE_EPOCH": epoch, "DPKG_DEB_COMPRESSOR_LEVEL": "0"})
    return next(pathlib.Path(out).glob("*.deb"))


@pytest.fixture(scope="module")
def deb(tmp_path_factory):
    return build_deb(tmp_path_factory.mktemp("deb"))


@pytest.fixture(scope="module")
def tree(deb, tmp_path_factory):
    to = tmp_path_factory.mktemp("tree")
    run("dpkg-deb", "--extract", deb, to)
    return to


def test_installed_by_make_below_any_folder(tmp_path):
    run("service/package/install.sh", BINARY, "/opt/gpuplan", cwd=ROOT, env=os.environ | {"DESTDIR": str(tmp_path)})
    here = tmp_path / "opt/gpuplan"
    assert {str(path.relative_to(ROOT)) for folder in ("static", "sql/migrations", "sql/seed")
            for path in (ROOT / folder).rglob("*") if path.is_file()} \
        == {str(path.relative_to(here / "share/gpuplan")) for folder in ("static", "sql/migrations", "sql/seed")
            for path in (here / "share/gpuplan" / folder).rglob("*") if path.is_file()}
    unit = (here / "lib/systemd/system/gpuplan.service").read_text()
    assert "ExecStart=/opt/gpuplan/bin/gpuplan\n" in unit


def test_it_runs_from_where_it_is_installed(tree, database, tmp_path):
    server = Server(database.env, tmp_path)
    del server.env["GPUPLAN_STATIC"]
    server.binary = tree / "usr/bin/gpuplan"
    server.start()
    try:
        assert server.get("/v1/gpus?limit=1").status == 200
        assert "<title>" in server.get("/").text, "the page is found next to the program"
    finally:
        server.stop()


def test_the_setting_for_the_page_names_no_place_it_does_not_use():
    shown = run(BINARY, "--dump-config", env={})
    assert "GPUPLAN_STATIC=\n" in shown


def test_the_catalogue_comes_with_it(tree, tmp_path):
    assert (tree / "usr/share/gpuplan/sql/migrate.sh").stat().st_mode & 0o111
    assert (tree / "usr/share/gpuplan/sql/seed.sql").read_text() == (ROOT / "sql/seed.sql").read_text()


def test_it_asks_for_the_packages_whose_libraries_it_loads(deb, tree):
    needed = set(re.findall(r"NEEDED.*\[(.*?)\]", run("readelf", "-d", tree / "usr/bin/gpuplan")))
    asked = set(run("dpkg-deb", "--field", deb, "Depends").strip().split(", "))
    holds = {name for package in asked for name in map(os.path.basename, run("dpkg-query", "-L", package).split())}
    runtime = {"libasan.so.8", "libubsan.so.1", "libtsan.so.2", "libgcc_s.so.1"}  # of sanitizer builds
    assert needed - runtime <= holds
    bill = json.loads((tree / "usr/share/doc/gpuplan/sbom.cdx.json").read_text())
    assert {part["name"] for part in bill["components"]} == asked
    for part in bill["components"]:
        assert part["version"] == run("dpkg-query", "-W", "-f", "${Version}", part["name"])


def test_settings_are_listed_and_none_is_set(tree):
    path = tree / "etc/gpuplan/gpuplan.env"
    assert path.stat().st_mode & 0o007 == 0, "it may hold a password"
    lines = path.read_text().splitlines()
    assert all(line.startswith("#") for line in lines)
    assert set(re.findall(r"^#(\w+)=", path.read_text(), re.M)) == \
        set(re.findall(r'"(GPUPLAN_\w+)"', (ROOT / "service/settings/conf.def").read_text())) | {"DATABASE_URL"}


def test_the_same_bytes_from_the_same_commit(deb, tmp_path):
    again = build_deb(tmp_path)
    assert again.name == deb.name
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(deb.read_bytes()).digest()


def test_the_container_that_fetches_runs_once_and_stops_when_told():
    """The host's cron starts it, as nothing in compose does so at a time."""
    fetch = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["fetch"]
    assert fetch["init"] and fetch["profiles"] and not {"entrypoint", "command", "restart"} & set(fetch)
    cron = re.search(r"^ +\d+ \* \* \* \* root cd \S+ && docker compose run (.*)$",
                     (ROOT / "service/package/README.md").read_text(), re.M)
    assert cron[1].split() == ["--rm", "--no-deps", "--no-TTY", "fetch"]


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
def test_the_manual_names_every_option_and_signal():
    page = (ROOT / "service/package/gpuplan.1").read_text()
    for option in re.findall(r"^  --([a-z-]+)", run(BINARY, "--help"), re.M):
        assert f"Fl -{option}" in page
    shown = run("man", "--warnings", "-l", ROOT / "service/package/gpuplan.1")
    assert "SIGHUP" in shown


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("service, beside", [("gpuplan.service", "gpuplan.socket"),
                                             ("gpuplan-fetch.service", "gpuplan-fetch.timer")])
def test_systemd_takes_the_units(tree, tmp_path, service, beside):
    units = tree / "usr/lib/systemd/system"
    program = tmp_path / "gpuplan"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name in (service, beside):
        text = (units / name).read_text().replace("/usr/bin/gpuplan", str(program)).replace("man:gpuplan(1)", "man:true(1)")
        (tmp_path / name).write_text(text)
    said = subprocess.run(["systemd-analyze", "verify", tmp_path / service, tmp_path / beside],
                          capture_output=True, text=True)
    assert said.returncode == 0 and not said.stderr, said.stderr
    score = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=20",
                            tmp_path / service], capture_output=True, text=True)
    assert score.returncode == 0, score.stdout

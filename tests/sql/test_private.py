"""sql/private.sh: the private cluster stays with the PostgreSQL that made it."""
import os
import subprocess

import pytest

from conftest import ROOT


@pytest.fixture
def cluster(tmp_path):
    tmp_path.chmod(0o755)
    yield tmp_path
    subprocess.run([ROOT / "sql/private.sh", "stop", tmp_path])


def start(cluster):
    env = {name: value for name, value in os.environ.items() if name != "PGBIN"}
    return subprocess.run([ROOT / "sql/private.sh", "start", cluster], env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_data_of_a_version_that_is_gone_are_not_touched(cluster):
    assert start(cluster).returncode == 0
    subprocess.run([ROOT / "sql/private.sh", "stop", cluster], check=True)
    version = cluster / "pgdata/PG_VERSION"
    made_by = version.read_text()
    version.write_text("9\n")
    refused = start(cluster)
    assert refused.returncode == 69 and not (cluster / "pgdata/postmaster.pid").exists()
    assert "was made by PostgreSQL 9" in refused.stderr and "install postgresql-9" in refused.stderr
    version.write_text(made_by)
    assert start(cluster).returncode == 0

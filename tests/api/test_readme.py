"""Every command of README.md and api/README.md does what is said there, against a real daemon and a
real PostgreSQL. The formula for a cell is in tests/sheets, `make run` and its kin in test_run.py."""
import os
import re
import shlex
import subprocess

import pytest

from conftest import BINARY, ROOT, Database

README = (ROOT / "README.md").read_text()
COMMANDS = [line.strip() for line in re.findall(r"^    (.+)$", README, re.M)]
API = (ROOT / "api/README.md").read_text()


def curls(text):
    return [command for command in re.findall(r"^    (curl .+)$", text, re.M) if "-H" not in command]


def here(server, command):
    """The addresses of make run are those of this daemon."""
    return command.replace("http://127.0.0.1:8080", server.url).replace("http://127.0.0.1:8081", server.admin_url)


@pytest.mark.parametrize("command", curls(README) + curls(API))
def test_what_curl_is_told_answers(server, command):
    words = [word for word in shlex.split(here(server, command)) if word != "--fail"]
    done = subprocess.run([*words, "--fail-with-body", "--silent"], capture_output=True, check=False)
    assert done.returncode == 0 and len(done.stdout) > 2, done.stdout


def test_the_examples_are_there():
    assert len(curls(README)) >= 5 and len(curls(API)) >= 2
    assert len(README.split()) <= 1000


@pytest.mark.parametrize("address", re.findall(r"<http://127\.0\.0\.1:8080(/[^>]*)>", README + API))
def test_what_is_to_be_opened_is_there(server, address):
    reply = server.get(address)
    assert reply.status == 200 and reply.body


def test_the_headline_of_the_formula_is_a_number(server):
    address, = re.findall(r'WEBSERVICE\("http://127\.0\.0\.1:8080([^"]+)"', README)
    answer = server.get(address.replace(".txt", ".json")).json
    assert float(server.get(address).text) == answer["buy_saving"]
    assert (answer["buy_saving"] < 0) == (answer["verdict"] == "rent")


def test_gpuplan_ask_answers_while_make_run_serves(server):
    command, = (shlex.split(line) for line in COMMANDS if " ask " in line)
    assert command[0] == "build/release/gpuplan"
    env = {name: value for name, value in os.environ.items() if not name.startswith("PG") and name != "DATABASE_URL"}
    asked = subprocess.run([BINARY, *command[1:]], capture_output=True, text=True, check=True,
                           env=env | {"GPUPLAN_LISTEN": server.url.removeprefix("http://")})
    assert [line.split()[0] for line in asked.stdout.splitlines()] == ["field", "verdict", "buy_saving", "break_even_months"]


def test_the_quote_with_its_token_is_taken(pair, tmp_path):
    database, server = pair
    script = re.search(r"(    token=.*?\}')\n", API, re.S).group(1)
    server.stop()
    server.env["GPUPLAN_WRITE_TOKENS_FILE"] = str(tmp_path / "tokens")
    (tmp_path / "tokens").touch()
    making, posting = re.split(r"(?=    curl )", script)
    subprocess.run(["bash", "-euc", making + "echo $token > token"], cwd=tmp_path, check=True)
    server.start()
    posted = subprocess.run(["bash", "-euc", "token=$(cat token)\n" + here(server, posting) + " --fail-with-body --silent"],
                            cwd=tmp_path, capture_output=True, text=True, check=False)
    assert posted.returncode == 0, posted.stdout
    assert "acme-cloud" in posted.stdout and "new_provider" in posted.stdout
    assert database.query("select price from quote where provider = 'acme-cloud'") == "1.95"


@pytest.fixture
def cluster(tmp_path):
    tmp_path.chmod(0o755)
    database = Database(str(tmp_path))
    database.start()
    yield database
    database.stop()


def test_a_database_for_production_is_made_and_read(cluster):
    """createdb, schema and login as they are printed; by that login the daemon reads, and no more."""
    steps = [command.removeprefix("sudo -u postgres ").replace("/usr/share/gpuplan/", f"{ROOT}/")
             for command in COMMANDS if command.startswith("sudo -u postgres ")]
    assert len(steps) == 3
    unset = {name: value for name, value in cluster.env.items() if name not in ("DATABASE_URL", "PGDATABASE")}
    for step in steps:
        subprocess.run(["bash", "-euc", step], env=unset, check=True, capture_output=True)
    setting = re.search(r"echo 'DATABASE_URL=(.*)' \| sudo tee -a /etc/gpuplan/gpuplan.env", README).group(1)
    assert setting == "postgresql://plan:CHANGE-ME@127.0.0.1/gpuplan"
    url = setting.replace("127.0.0.1/gpuplan", f"/gpuplan?host={cluster.env['PGHOST']}&port=5432")
    login = os.environ | {"DATABASE_URL": url}
    checked = subprocess.run([BINARY, "--check"], env=login | {"GPUPLAN_STATIC": str(ROOT / "static")}, capture_output=True, text=True)
    assert checked.returncode == 0 and "are valid" in checked.stdout, checked.stderr
    for statement in ("delete from offer", "drop table offer", "update assumption set value = 1"):
        refused = subprocess.run(["psql", "-X", "--dbname", url, "-c", statement], env=login, capture_output=True, text=True)
        assert "permission denied" in refused.stderr or "must be owner" in refused.stderr, statement


def test_units_and_targets_that_are_named_are_there():
    assert (ROOT / "service/package/gpuplan.service").exists()
    for command in COMMANDS:
        if command.startswith("make "):
            planned = subprocess.run(["make", "-n", *shlex.split(command.split(" && ")[0])[1:]], cwd=ROOT, capture_output=True, text=True)
            assert planned.returncode == 0, planned.stderr

"""A whole life of the daemon under valgrind: `make valgrind` has run.sh stand in for it, so that its
exit code says whether memory was read unwritten, overrun or lost. The answers themselves are tested
elsewhere; here every format is written once, every refusal and every way of reading anew taken."""
import os
import signal
import subprocess

import pytest

from conftest import BINARY, ROOT, wait_for

FORMATS = ("", ".json", ".csv", ".tsv", ".xml", ".txt", ".html", ".svg")
QUESTIONS = {
    "gpus": "limit=3",
    "offers": "gpu=t4&limit=5&count=1",
    "offers/history": "gpu=h100-sxm5-80gb&limit=5",
    "price-summary": "gpu=h100-sxm5-80gb",
    "models/llama-2-70b": "",
    "training-plan": "model=llama-2-70b&tokens=1e12&gpu=h100-sxm5-80gb&gpu_count=512",
    "inference-sizing": "model=llama-2-70b&gpu=h100-sxm5-80gb&requests_per_minute=60",
    "break-even": "gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.6&currency=EUR",
    "break-even/series": "gpu=h100-sxm5-80gb&gpu_count=8&as_of=2026-08-15",
    "break-even/risk": "gpu=h100-sxm5-80gb&gpu_count=8&draws=2000",
    "break-even/sensitivity": "gpu=h100-sxm5-80gb&gpu_count=8&vary=utilization&from=0.2&to=0.8&step=0.1",
    "compare": "a=/v1/gpus/t4&b=/v1/gpus/l4",
    "quotes": "",
}
REFUSED = ("/", "/nothing", "/v1/gpus/h100", "/v1/break-even?gpu=h100&utilisation=2", "/openapi.json",
           "/v1/training-plan?tokens=-1&tokens=x&%zz", "/v1/offers?cursor=bad&limit=0", "/app.js",
           "/metrics/prices")


@pytest.fixture
def watched(pair):
    database, server = pair
    yield database, server
    assert server.stop() == 0, (server.directory / "log").read_text()[-4000:]


def version(server):
    return server.get("/v1/gpus?limit=1").json["catalog_version"]


def test_a_life(watched):
    database, server = watched
    for path, query in QUESTIONS.items():
        for suffix in FORMATS:
            assert server.get(f"/v1/{path}{suffix}?{query}").status < 500, (path, suffix)
    for path in REFUSED:
        assert server.get(path, {"Accept-Encoding": "gzip"}).status < 500
    server.request("POST", "/v1/models", b'{"model_type": ["llama"]', {"Content-Type": "application/json"})
    assert server.get("/metrics", admin=True).status == 200

    before = version(server)
    database.query("update offer set price_per_hour = price_per_hour where gpu = 't4'")
    database.query("update assumption set note = note || ' '")
    wait_for(lambda: version(server) != before, "a refresh")
    before = version(server)
    subprocess.run([BINARY, "import", "--provider", "aws", "--observed", "2030-01-02",
                    *sorted(map(str, (ROOT / "tests/feeds/own").glob("*.csv")))],
                   env=database.env, check=True, stdout=subprocess.DEVNULL)
    wait_for(lambda: version(server) != before, "what was imported")
    server.process.send_signal(signal.SIGHUP)
    database.stop()
    wait_for(lambda: "gpuplan_db_up 0" in server.get("/metrics", admin=True).text, "db_up 0")
    database.start()
    wait_for(lambda: "gpuplan_db_up 1" in server.get("/metrics", admin=True).text, "db_up 1")
    assert server.get("/v1/gpus?limit=1").status == 200


def test_the_command_line():
    env = dict(os.environ)
    for arguments, code in ((["--help"], 0), (["--openapi"], 0), (["--nothing"], 64), (["--version"], 0)):
        done = subprocess.run([BINARY, *arguments], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr

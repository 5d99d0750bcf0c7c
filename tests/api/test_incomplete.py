"""A catalogue that lacks what answers rest on is not served: the former one is, and it is said why."""
import re
import subprocess

import pytest

from conftest import BINARY, day, wait_for
from test_contract import question

ESTIMATES = [question(path) for path in (
    "/v1/gpus/{gpu}", "/v1/models/{model}", "/v1/training-plan", "/v1/training-plan/options",
    "/v1/training-plan/sensitivity", "/v1/inference-sizing", "/v1/inference-sizing/options",
    "/v1/inference-sizing/sensitivity", "/v1/break-even", "/v1/break-even/gpus",
    "/v1/break-even/sensitivity", "/v1/break-even/risk", "/v1/recommendation", "/v1/compare")]
# Assumptions that are read only where a question asks for what they are about.
ESTIMATES += [
    "/v1/training-plan?model=llama-2-70b&gpu=mi300x&gpu_count=64&tokens=1e11&goodput=auto",
    "/v1/training-plan?model=mixtral-8x7b-v0.1&gpu=b300-sxm&gpu_count=64&tokens=1e11&precision=fp4",
    "/v1/training-plan/options?model=gpt2&tokens=1e9&gpu_count_max=16",
    "/v1/training-plan/options?maximize=parameters&gpu=h100-sxm5-80gb&gpu_count=64&deadline_days=30",
    "/v1/inference-sizing?model=llama-2-7b&gpu=rtx-4090&engine=llama_cpp&weight_dtype=int4",
    "/v1/inference-sizing?model=llama-2-70b&gpu=h100-sxm5-80gb&speculative_tokens=3&engine=sglang",
    "/v1/break-even?gpu=l4&utilization=0.5&purchase_option=reserved_3yr&provider=lambda",
    "/v1/break-even?gpu=h100-sxm5-80gb&gpu_count=64&utilization=0.5&purchase_option=spot&provider=lambda",
    "/v1/break-even?gpu=h100-sxm5-80gb&utilization=0.5&housing=own_room&storage_tb=10",
    "/v1/recommendation?workload=train&model=gpt2",
]
# Whose figures are of the assumptions' bands, too.
OF_BANDS = ("/sensitivity", "/risk")


def lacking(server):
    return set(re.findall(r'^gpuplan_catalog_lacking\{key="(\w*)",scope="(\w*)"\} 1$',
                          server.get("/metrics", admin=True).text, re.M))


def served(server):
    return server.get("/v1").json["catalog_version"]


def figures(server):
    """What every question gives: its status, and the numbers of its answer."""
    out = {}
    for ask in ESTIMATES:
        reply = server.get(ask)
        assert reply.status < 500, (ask, reply.text)
        numbers = reply.json if reply.status == 200 and not any(part in ask for part in OF_BANDS) else {}
        out[ask] = (reply.status, {name: value for name, value in numbers.items() if isinstance(value, (int, float))})
    return out


def test_without_any_assumption_it_is_refused_or_answers_the_same(pair):
    """All but one, which has a test of its own, are taken away at once: those that are missed are named, and nobody
    misses the others. An empty table is refused before that. What a provider charges is like an offer: a median of those
that are known."""
    database, server = pair
    before, good = figures(server), served(server)
    database.query("create table aside as select * from assumption; "
                   "delete from assumption where key <> 'gam' and scope not in (select slug from provider)")
    refused = {("gam", "")} | wait_for(lambda: lacking(server), "the refusal")
    assert served(server) == good and figures(server) == before
    assert {("bytes_per_weight", "fp8"), ("goodput", ""), ("spot_discount_ratio", "")} <= refused
    version = database.query("""
        insert into assumption select * from aside where key <> 'gam' and (key, scope) in (values %s);
        select catalog_version()""" % ", ".join(f"('{key}', '{scope}')" for key, scope in refused))
    wait_for(lambda: served(server) == version and not lacking(server), "what is left to be served")
    assert figures(server) == before


def plan(server, **params):
    return server.get("/v1/training-plan?model=gpt2&gpu=t4&tokens=1e9&precision=fp16", **params)


@pytest.mark.parametrize("change, name", [
    ("delete from assumption where key = 'gam'", "gam"),
    ("update assumption set low = null, value = null, high = null where key = 'electricity_price_per_kwh'",
     "electricity_price_per_kwh"),
    ("update assumption set high = null where key = 'step_interval_factor' and scope = 'moe'", "step_interval_factor:moe"),
    ("update assumption set low = 0, value = 0 where key = 'e_mem'", "e_mem"),
    ("update assumption set value = 1.5, high = 2 where key = 'e_net'", "e_net"),
    ("update assumption set value = 7, high = 7 where key = 'goodput'", "goodput"),
])
def test_a_constant_that_is_gone_null_or_absurd_is_refused(pair, tmp_path, change, name):
    database, server = pair
    before, good = plan(server).body, served(server)
    database.query(change)
    version = database.query("select catalog_version()")
    wait_for(lambda: lacking(server) or served(server) == version, "the change")
    assert (plan(server).status, plan(server).body) == (200, before)
    assert served(server) == good and lacking(server) == {tuple(name.partition(":")[::2])}
    sentence = f"catalogue {version} is refused: assumptions are missing or out of range: {name}"
    assert sentence in (server.directory / "log").read_text()
    assert sentence in server.get("/ready", admin=True).text
    check = subprocess.run([BINARY, "--check"], env=server.env, capture_output=True, text=True)
    assert check.returncode == 69 and check.stderr.strip().endswith(f": {name}")
    ask = subprocess.run([BINARY, "ask", "break-even", "gpu=l4", "utilization=0.3"], env=server.env,
                         capture_output=True, text=True)
    assert ask.returncode == 69 and name in ask.stderr


def test_without_it_from_the_start_nothing_is_answered_until_it_comes(pair):
    database, server = pair
    server.stop()
    database.query("create table aside as select * from assumption; delete from assumption where key <> 'pue'")
    server.start(ready=False)
    ready = wait_for(lambda: (reply := server.get("/ready", admin=True)).status == 503 and "refused" in reply.text and reply, "the refusal")
    assert re.search(r"out of range: .*eta1", ready.text) or " and " in ready.text
    assert plan(server).status == 503 and plan(server).headers["Retry-After"]
    assert {("bytes_per_weight", "fp8")} < lacking(server) and ("pue", "") not in lacking(server)
    database.query("insert into assumption select * from aside where key <> 'pue'")
    wait_for(lambda: server.get("/ready", admin=True).status == 200, "the catalogue")
    assert plan(server).status == 200 and not lacking(server)


BACKDATE = """set session_replication_role = replica;
    update row_history set changed_at = changed_at - interval '{} days' where changed_by = '{}'"""


def test_a_day_without_a_constant_gets_the_one_that_was_served(pair):
    """gam was edited 9 days ago, taken away 6 days ago and put in again, as another, 3 days ago; kdp came 3 days ago."""
    database, server = pair
    days = (30, 8, 5, 2)
    first = plan(server).json["step_seconds"]

    def edit(sql, back):
        database.query(f"set gpuplan.writer = 'w{back}'; {sql}")
        database.query(BACKDATE.format(back, f"w{back}"))
    edit("update assumption set value = 0.2 where key = 'gam'", 9)
    edit("create table aside as select * from assumption where key in ('gam', 'kdp');"
         "delete from assumption where key = 'gam'", 6)
    database.query("set session_replication_role = replica; delete from assumption where key = 'kdp'")
    edit("insert into assumption select * from aside; update assumption set value = 0.3 where key = 'gam'", 3)
    database.query("update gpu set year = year where slug = 't4'")
    version = database.query("select catalog_version()")
    wait_for(lambda: served(server) == version, "the changes")
    steps = [plan(server, as_of=day(-back)).json["step_seconds"] for back in days]
    gams = [server.get("/v1/assumptions?key=gam", as_of=day(-back)).json["rows"][0]["default"] for back in days]
    assert gams == [0.17, 0.2, 0.2, 0.3], "what an answer rests on is what is shown"
    assert steps[0] == first and steps[1] == steps[2] and len(set(steps)) == 3
    for ask in ESTIMATES:
        for as_of in (day(-30), day(-5), day(-2), "1990-01-01"):
            reply = server.get(ask, as_of=as_of)
            assert reply.status < 500, (ask, as_of, reply.text)


def test_rows_of_gpus_and_models_without_this_or_that_are_no_fault_of_ours(pair):
    database, server = pair
    database.query("""
        insert into gpu select (jsonb_populate_record(g, jsonb_build_object('slug', 'no-' || replace(f.figure, '_', '-')))).*
            from gpu g, (select distinct figure from gpu_figure where gpu = 'h100-sxm5-80gb') f
            where slug = 'h100-sxm5-80gb' and f.figure not in ('memory_capacity', 'memory_bandwidth');
        insert into gpu_figure select (jsonb_populate_record(f, jsonb_build_object('gpu', g.slug))).*
            from gpu_figure f, gpu g where f.gpu = 'h100-sxm5-80gb' and g.slug like 'no-%'
            and g.slug <> 'no-' || replace(f.figure, '_', '-');
        do $$ declare named record; lean text;
        begin
            for named in select attname, n from pg_attribute, generate_series(0, 2) n
                         where attrelid = 'model'::regclass and attnum > 0 and attname <> 'slug' loop
                lean := 'lean-' || replace(named.attname, '_', '-') || '-' || named.n;
                begin
                    insert into model select (jsonb_populate_record(m, jsonb_build_object('slug', lean, 'aliases', '',
                            named.attname, (array[null, '0', '1'])[named.n + 1]))).*
                        from model m where slug = 'mixtral-8x7b-v0.1';
                exception when others then null;
                end;
            end loop;
        end $$""")
    version = database.query("select catalog_version()")
    wait_for(lambda: served(server) == version, "the rows")
    gpus = database.query("select slug from gpu where slug like 'no-%'").split()
    models = database.query("select slug from model where slug like 'lean-%'").split()
    assert len(gpus) > 10 and len(models) > 40
    asked = [("llama-2-7b", gpu) for gpu in gpus] + [(model, "h100-sxm5-80gb") for model in models]
    for model, gpu in asked:
        for ask in (f"/v1/training-plan?model={model}&gpu={gpu}&gpu_count=8&tokens=1e9", f"/v1/models/{model}",
                    f"/v1/inference-sizing?model={model}&gpu={gpu}&weight_dtype=fp8", f"/v1/gpus/{gpu}",
                    f"/v1/break-even?gpu={gpu}&utilization=0.5", f"/v1/gpus/{gpu}?model={model}"):
            reply = server.get(ask)
            assert reply.status < 500, (ask, reply.text)

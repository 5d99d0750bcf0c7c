"""An answer for a past day stays as it was, whatever is changed in the catalogue later on."""
import pytest

from conftest import Own, day, stopped_after, wait_for
from test_contract import question

GPU = "h100-sxm5-80gb"
# What answers depend on besides dated prices: rows of each kind are changed, added and removed.
EDITS = f"""
    update assumption set low = low * 1.05, value = value * 1.05, high = high * 1.05
        where key in ('electricity_price_per_kwh', 'eta1', 'e_mem', 'e_gemm', 'xa', 'o_engine');
    update assumption set note = 'edited' where key = 'xdp';
    insert into assumption (key, scope, group_name, value, applies_to, source, source_date, date_basis)
        values ('a_new_one', '', 'general', 1, 'all', 'me', '2026-01-01', 'collected');
    update model set intermediate = intermediate * 1.25, vocab = vocab + 4096,
        params_total = params_total * 1.1, params_active = params_active * 1.1
        where slug in ('gpt2', 'llama-2-7b', 'mixtral-8x7b-v0.1', 'deepseek-v3');
    insert into model select (jsonb_populate_record(m, '{{"slug": "a-new-one", "aliases": ""}}')).*
        from model m where slug = 'gpt2';
    delete from model where slug = 'gpt2-xl';
    update gpu set name = name || ' II' where slug = '{GPU}';
    update gpu_figure set value = value * 0.8 where figure in ('memory_bandwidth', 'tdp')
        or (figure in ('bf16_tflops', 'fp16_tflops') and gpu <> 'rtx-4090');
    delete from gpu_figure where gpu = '{GPU}' and figure = 'int8_tops';
    insert into gpu select (jsonb_populate_record(g, '{{"slug": "a100-new"}}')).*
        from gpu g where slug = 'a100-sxm4-80gb';
    insert into gpu_figure select (jsonb_populate_record(f, '{{"gpu": "a100-new"}}')).*
        from gpu_figure f where gpu = 'a100-sxm4-80gb';
    delete from hardware where gpu = 'p100-sxm2-16gb';
    delete from gpu where slug = 'p100-sxm2-16gb';
    update hardware set price = price * 1.1;
    update hardware set observed = null, observed_text = '' where gpu = 'l40s';
    insert into hardware (hardware_id, kind, seller, gpu, gpu_count, price, source)
        values ('new', 'card', 'me', '{GPU}', 1, 20000, 'me')"""
# Paths whose answers rest on dated rows alone, on assumptions that are not edited here, or on a file that is sent.
DATED = {"/v1/offers", "/v1/offers/history", "/v1/price-summary", "/v1/price-summary/history",
         "/v1/hosted-prices", "/v1/quotes", "/v1/quotes/{id}",
         "/v1/quotes/{id}/history", "/v1/exchange-rates", "/v1/carbon", "/v1/electricity-prices",
         "/v1/provider-charges", "/v1/measured-run"}


def of_day(where, shift, suffix=""):
    path, _, query = where.partition("?")
    return f"{path}{suffix}?{query}&as_of={day(shift)}&model_version=1.4"


class Catalogue(Own):
    """A database and a daemon whose catalogue is edited by SQL."""

    def __init__(self, directories):
        super().__init__(
            directories,
            "insert into quote (kind, provider, gpu, price, price_unit) values "
            "('hardware', 'acme', 't4', 900, 'per_card');"
            "set session_replication_role = replica;"
            "update quote_history set changed_at = changed_at - interval '9 days'")
        self.paths = list(self.server.get("/openapi.json").json["paths"])

    def edit(self, sql):
        self.database.query(sql)
        self.served()

    def served(self):
        version = self.database.query("select catalog_version()")
        wait_for(lambda: self.server.get("/v1").json["catalog_version"] == version, "the change")

    def pass_days(self, days):
        """As if all changes so far had been made that much earlier."""
        self.database.query(
            "set session_replication_role = replica;"
            f"update row_history set changed_at = changed_at - interval '{days} days'")
        self.edit("update provider set note = note where slug = 'aws'")

    def ask(self, where):
        reply = self.server.get(where)
        assert reply.status == 200, reply.text
        version = self.server.get("/v1").json["catalog_version"]
        return reply.body.replace(version.encode(), b"")

    def ask_all(self, shift):
        return {path: [self.ask(of_day(question(path), shift, suffix))
                       for suffix in ("", ".csv")] for path in self.paths}

    def default(self, key, shift):
        [row] = self.server.get("/v1/assumptions", key=key, as_of=day(shift)).json["rows"]
        return row["default"]


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    """What every path said of yesterday and of today, and says after all kinds of edits."""
    catalogue = Catalogue(tmp_path_factory)
    before = catalogue.ask_all(-1), catalogue.ask_all(0)
    catalogue.edit(EDITS)
    yield catalogue, before, (catalogue.ask_all(-1), catalogue.ask_all(0))
    catalogue.stop()


own = stopped_after("function", Catalogue)


def test_yesterdays_answers_stay_and_todays_change(edited):
    catalogue, before, after = edited
    assert len(catalogue.paths) > 30
    assert [path for path in catalogue.paths if after[0][path] != before[0][path]] == []
    assert {path for path in catalogue.paths if after[1][path] == before[1][path]} == DATED


def test_the_rows_of_a_day_are_listed(edited):
    catalogue = edited[0]

    def names(path, key, shift):
        rows = catalogue.server.get(path, as_of=day(shift), limit=1000).json["rows"]
        return {row[key] for row in rows}
    for path, key, came, went in (("/v1/assumptions", "key", "a_new_one", None),
                                  ("/v1/models", "model", "a-new-one", "gpt2-xl"),
                                  ("/v1/gpus", "gpu", "a100-new", "p100-sxm2-16gb")):
        was, now = names(path, key, -1), names(path, key, 0)
        assert now - was == {came} and was - now == {went} - {None}
        for shift, name in ((0, went), (-1, came)):
            if key != "key" and name:
                assert catalogue.server.get(f"{path}/{name}", as_of=day(shift)).status == 404
                assert catalogue.server.get(f"{path}/{name}", as_of=day(-1 - shift)).status == 200


def test_the_figure_that_counts_comes_first(edited):
    for shift in (-1, 0):
        figures = edited[0].server.get("/v1/gpus/rtx-4090", as_of=day(shift)).json["figures"]
        trusts = [row["trust"] == "disputed" for row in figures if row["figure"] == "bf16_tflops"
                  and (row["sparsity"], row["accumulate"]) == ("dense", "fp32")]
        assert len(trusts) > 1 and trusts == [False] + [True] * (len(trusts) - 1)


def test_prices_are_found_for_a_gpu_that_changed(edited):
    """The offers of a GPU are its own on a day on which its figures were others."""
    catalogue = edited[0]
    path = f"/v1/break-even?gpu={GPU}&gpu_count=8&utilization=0.6"
    was, now = (catalogue.server.get(path, as_of=day(shift)).json for shift in (-1, 0))
    assert was["offers_used"] == now["offers_used"] != []
    assert was["inputs"]["server_price"]["value"] < now["inputs"]["server_price"]["value"]
    rows = catalogue.server.get("/v1/gpus", as_of=day(-1)).json["rows"]
    assert {row["gpu"]: row for row in rows}[GPU]["on_demand_price_per_gpu_hour"] > 0


def test_what_made_the_difference_between_two_days(edited):
    catalogue = edited[0]
    address = f"/v1/break-even?gpu={GPU}%26utilization=0.6%26as_of="
    reply = catalogue.server.get(f"/v1/compare?a={address}{day(-1)}&b={address}{day(0)}")
    assert reply.status == 200, reply.text
    why = {row["name"]: row for row in reply.json["why"]}
    assert why["as_of"]["kind"] == "price" and why["as_of"]["effect"] != 0
    assert why["electricity_price_per_kwh"]["effect"] != 0
    address = ("/v1/training-plan?model=llama-2-7b%26tokens=1e12%26gpu=" + GPU +
               "%26gpu_count=64%26price_per_gpu_hour=2%26as_of=")
    reply = catalogue.server.get(f"/v1/compare?a={address}{day(-1)}&b={address}{day(0)}").json
    [step] = reply["why"]
    assert (step["kind"], step["name"], step["after"]) == ("assumption", "as_of", reply["b"])
    assert step["effect"] != 0 and "/v1/changes" in step["sentence"]
    reply = catalogue.server.get(f"/v1/compare?a={address}{day(-1)}&b={address}{day(-2)}").json
    assert reply["difference"] == 0 and "/v1/changes" not in str(reply["why"])


def test_who_changed_what(own):
    def changes(**filters):
        rows = own.server.get("/v1/changes", **filters).json["rows"]
        return [[row[name] for name in ("table", "key", "action", "changed_by", "field", "before",
                                        "after")] for row in rows]
    assert changes() == []
    own.edit("set gpuplan.writer = 'ada'; update gpu_figure set value = 400, note = 'measured' "
             "where gpu = 't4' and figure = 'memory_bandwidth'")
    source = own.database.query("select source from gpu_figure where gpu = 't4' "
                                "and figure = 'memory_bandwidth'")
    figure = ["gpu_figure", f"t4/memory_bandwidth/{source}", "change", "ada"]
    note = own.database.query("select before ->> 'note' from row_history") or None
    said = [[*figure, "note", note, "measured"], [*figure, "value", "320", "400"]]
    assert changes() == said
    own.pass_days(2)
    own.edit("delete from model where slug = 'gpt2-xl'")
    user = own.database.query("select session_user")
    assert changes() == [["model", "gpt2-xl", "remove", user, None, None, None], *said]
    assert changes(as_of=day(-2)) == changes(key="t4") == changes(table="gpu_figure") == said
    assert changes(as_of=day(-3)) == changes(key="t") == changes(table="gpu") == []


def test_each_day_says_what_was_its_last_word(own):
    key = "electricity_price_per_kwh"
    first = own.default(key, 0)
    edit = "update assumption set low = 0.01, value = {}, high = 0.9 where key = '" + key + "'"
    own.edit(edit.format(0.2))
    own.edit(edit.format(0.3))
    own.pass_days(3)
    assert [own.default(key, shift) for shift in (-4, -3, -1, 0)] == [first, 0.3, 0.3, 0.3]
    bill = own.ask(of_day(f"/v1/break-even?gpu={GPU}&utilization=0.6", -2))
    own.edit(edit.format(0.4))
    assert [own.default(key, shift) for shift in (-4, -3, -1, 0)] == [first, 0.3, 0.3, 0.4]
    assert own.ask(of_day(f"/v1/break-even?gpu={GPU}&utilization=0.6", -2)) == bill
    own.pass_days(2)
    own.database.query(f"delete from assumption where key = '{key}'")
    assert [own.default(key, shift) for shift in (-6, -5, -3, -2, -1)] == [first, 0.3, 0.3, 0.4, 0.4]
    posted = own.server.post("/v1/break-even", {"gpu": GPU, "utilization": 0.6, "as_of": day(-3)})
    assert posted.json["inputs"][key]["value"] == 0.3, "a day in a body is one too"
    assert own.server.get("/v1/assumptions", key=key).status == 200, "without it a catalogue is refused"


def test_a_gpu_that_could_not_be_served_is_passed_over(own):
    """Of days on which its figures made no sense it says what came next."""
    own.database.query("delete from gpu_figure where gpu = 't4' and figure = 'memory_bandwidth'")
    own.database.query("set session_replication_role = replica;"
                       "update row_history set changed_at = changed_at - interval '2 days'")
    own.edit("""insert into gpu_figure select f.* from row_history h,
        jsonb_populate_record(null::gpu_figure, h.before || '{"value": 310}') f
        where h.key ->> 'gpu' = 't4'""")

    def bandwidth(shift):
        return own.server.get("/v1/gpus/t4", as_of=day(shift)).json["memory_bandwidth_gb_per_second"]
    assert [bandwidth(shift) for shift in (-3, -2, -1, 0)] == [320, 310, 310, 310]


def test_dated_hardware_counts_from_its_date_undated_from_today(own):
    def sellers(shift):
        """The card's price by seller."""
        rows = own.server.get("/v1/hardware", gpu="t4", as_of=day(shift)).json["rows"]
        return {row["seller"]: row["price"] for row in rows}
    own.edit(f"""insert into hardware (hardware_id, kind, seller, gpu, gpu_count, price, observed,
            observed_text, source)
        values ('one', 'card', 'undated', 't4', 1, 700, null, '', 'me'),
               ('two', 'card', 'dated', 't4', 1, 700, '{day(-5)}', '{day(-5)}', 'me')""")
    assert "undated" in sellers(0) and "undated" not in sellers(-1)
    assert "dated" in sellers(-5) and "dated" not in sellers(-6)
    own.pass_days(1)
    own.edit("update hardware set price = 800 where seller = 'dated'")
    assert sellers(0)["dated"] == 800 and sellers(-1)["dated"] == sellers(-5)["dated"] == 700
    assert "undated" in sellers(-1) and "undated" not in sellers(-2)

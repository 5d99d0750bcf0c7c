"""/v1/carbon: grid intensity by country."""


def test_each_country_has_figure_source_and_day(server):
    rows = server.get("/v1/carbon", limit=1000).json["rows"]
    assert len(rows) > 150 and len({row["country"] for row in rows}) == len(rows)
    for row in rows:
        assert row["country"].isupper() and 0 <= row["carbon_g_per_kwh"] < 1500
        assert "Ember" in row["source"] and row["source_date"] >= "2022-12-31"


def test_one_country_in_either_case(server):
    row, = server.get("/v1/carbon", country="de").json["rows"]
    assert row == server.get("/v1/carbon", country="DE").json["rows"][0]
    france, = server.get("/v1/carbon", country="FR").json["rows"]
    assert france["carbon_g_per_kwh"] < row["carbon_g_per_kwh"] / 3


def test_a_country_nobody_knows_is_refused(server):
    reply = server.get("/v1/carbon", country="Germany")
    assert reply.status in (400, 422)
    assert reply.json["errors"][0]["parameter"] == "country"


def test_it_is_an_assumption_like_any_other(server):
    row, = server.get("/v1/carbon", country="NO").json["rows"]
    same, = server.get("/v1/assumptions", key="grid_carbon_g_per_kwh", scope="no").json["rows"]
    assert same["default"] == row["carbon_g_per_kwh"]

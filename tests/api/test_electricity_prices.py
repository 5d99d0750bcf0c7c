"""/v1/electricity-prices: what industry pays, by country, in the currency of the answer."""


def test_each_country_has_price_source_and_day(server):
    rows = server.get("/v1/electricity-prices", limit=1000).json["rows"]
    assert len(rows) >= 28 and {"DE", "FR", "GR", "US"} <= {row["country"] for row in rows}
    for row in rows:
        assert 0.03 < row["electricity_price_per_kwh"] < 0.5 and row["source"] and row["source_date"] >= "2024-12-31"


def test_in_euro_it_is_what_the_source_prints(server):
    for country, printed in (("DE", 0.1922), ("FI", 0.0674), ("IE", 0.2187)):
        row, = server.get("/v1/electricity-prices", country=country, currency="EUR").json["rows"]
        assert abs(row["electricity_price_per_kwh"] - printed) < 1e-5
        assert f"EUR {printed}" in row["note"]


def test_a_country_nobody_knows_is_refused(server):
    reply = server.get("/v1/electricity-prices", country="XX")
    assert reply.status in (400, 422) and reply.json["errors"][0]["parameter"] == "country"

"""What a database that has nothing but the seed answers."""
import datetime


def test_amounts_in_euro(server):
    reply = server.get("/v1/break-even", gpu="h100-sxm5-80gb", utilization=0.7, currency="EUR")
    assert reply.status == 200, reply.text
    assert reply.json["currency"] == "EUR" and 0.5 < reply.json["currency_per_usd"] < 1.5


def test_rents_of_this_year(server):
    rows = server.get("/v1/offers", limit=5000).json["rows"]
    fresh = {row["gpu"] for row in rows if (row["observed_date"] or "") >= "2026-06-01"}
    assert len(fresh) >= 34, sorted(fresh)
    assert {"mi300x", "mi325x", "mi355x", "gb200-nvl72", "gb300-nvl72", "rtx-5090", "b300-sxm"} <= fresh


def test_a_seeded_offer_says_whose_collection_it_is_from(server):
    rows = server.get("/v1/offers", gpu="mi300x", provider="hotaisle").json["rows"]
    assert [row["price_per_gpu_hour"] for row in rows if "CC BY 4.0" in row["source_url"]]
    assert datetime.date.fromisoformat(rows[0]["observed_date"]).year == 2026

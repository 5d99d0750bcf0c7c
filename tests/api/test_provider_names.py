"""Who rents a GPU out is called by name in what people read; what is sent stays the slug."""
import csv
import pathlib
import re

import pytest

ROWS = list(csv.DictReader((pathlib.Path(__file__).resolve().parents[2] / "sql/seed/provider.csv").read_text().splitlines()))
NAMES = {row["slug"]: row["name"] for row in ROWS}
# Slugs that are no word of their own.
SLUGS = {slug for slug in NAMES if slug not in ("do", "various", "together", "lambda")}


def warnings(answer):
    return {each["code"]: each["detail"] for each in answer["warnings"]}


@pytest.mark.parametrize("provider", ["aws", "coreweave", "crusoecloud", "oci"])
def test_the_one_provider_of_a_price_is_named(server, provider):
    answer = server.get("/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, provider=provider).json
    assert warnings(answer)["single_provider"].endswith(f": {NAMES[provider]}")


def test_a_doubtful_rent_names_its_provider(server):
    answer = server.get("/v1/recommendation", workload="train", model="llama-3.1-8b", tokens=1e12, gpu="gb200-nvl72",
                        purchase_options="on_demand").json
    assert "only one provider, CoreWeave," in warnings(answer)["unconfirmed_option"]


def test_no_warning_has_a_slug(server):
    for row in server.get("/v1/gpus", limit=1000).json["rows"]:
        reply = server.get("/v1/break-even", gpu=row["gpu"], utilization=0.7)
        if reply.status == 200:
            said = [re.sub("run gpuplan fetch .* on the server", "", text) for text in warnings(reply.json).values()]
            assert not [text for text in said if SLUGS & set(re.findall(r"[a-z][a-z0-9-]+", text))], row["gpu"]


def test_the_dots_of_a_price_history_are_named(server):
    picture = server.get("/v1/offers/history.svg", gpu="a100-sxm4-80gb").text
    assert "<title>Amazon Web Services, " in picture and "<title>aws" not in picture


@pytest.mark.parametrize("typed, slug", [
    ("Amazon", "aws"), ("google cloud", "gcp"), ("Microsoft", "azure"), ("oracle", "oci"), ("verda", "datacrunch"),
    ("DigitalOcean", "do"), ("lambdalabs", "lambda"), ("crusoe", "crusoecloud"), ("Together AI", "together")])
def test_a_provider_by_its_name_is_answered_with_its_slug(server, typed, slug):
    reply = server.get("/v1/offers", gpu="h100-sxm5-80gb", provider=typed)
    assert reply.status == 400 and reply.json["detail"].endswith(f"no provider has that name; did you mean {slug}"), reply.text
    assert "did you mean" not in server.get("/v1/offers", gpu="h100-sxm5-80gb", provider="cloud").text, "a word of many names"


def test_a_derived_price_says_whose(server):
    def said(**values):
        return warnings(server.get("/v1/break-even", utilization=0.7, purchase_option="reserved_1yr", **values).json)["derived_price"]
    assert said(gpu="h100-sxm5-80gb", gpu_count=8, provider="oci").startswith(
        "no price for reserved_1yr is known from Oracle Cloud Infrastructure: its on-demand price less 35%")
    assert re.match(r"no price for reserved_1yr is known from \d of the \d+ providers: their on-demand",
                    said(gpu="h100-sxm5-80gb", gpu_count=8))
    assert re.match(r"no price for reserved_1yr is known from any of the \d providers: their", said(gpu="mi300x", gpu_count=1))

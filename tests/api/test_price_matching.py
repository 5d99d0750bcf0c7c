"""A job is matched to offers: whole machines, joined by a network where one does not hold it; one
job has one price wherever it is asked about, more GPUs never cost less, and filters never widen."""
import random
import urllib.parse

import pytest

from answers import codes

MODEL = {"model": "llama-2-13b", "tokens": "1e11"}
BASIS = ("price_basis", "price_offer_count", "price_provider_count", "price_oldest_date",
         "price_newest_date", "rented_gpu_count", "availability")


def ask(server, path, **values):
    return server.get(f"{path}?{urllib.parse.urlencode(values)}")


def plan(server, **values):
    reply = ask(server, "/v1/training-plan", **(MODEL | values))
    assert reply.status == 200, reply.text
    return reply.json


def hourly(answer):
    return answer["price_per_gpu_hour"] * answer["gpu_count"]


def test_small_jobs_rent_whole_machines(server):
    three = plan(server, gpu="h100-sxm5-80gb", gpu_count=3, provider="aws")
    assert (three["price_basis"], three["rented_gpu_count"]) == ("whole_instances", 8)
    eight = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, provider="aws")
    assert hourly(three) == pytest.approx(hourly(eight), rel=1e-6)
    assert "single_provider" in codes(eight)


def test_one_gpu_is_not_priced_as_a_node_of_eight(server):
    one = plan(server, gpu="h100-sxm5-80gb", gpu_count=1)
    assert one["price_provider_count"] >= 3 <= one["price_oversized_provider_count"]
    assert {offer["rented_gpu_count"] for offer in one["offers_used"]} <= {1, 2}
    node = {offer["provider"] for offer in plan(server, gpu="h100-sxm5-80gb", gpu_count=8)["offers_used"]}
    assert {"aws", "azure", "coreweave"} <= node - {offer["provider"] for offer in one["offers_used"]}


@pytest.mark.parametrize("n", [1, 8, 64, 1024])
def test_prices_of_years_ago_give_way_to_new_ones(server, n):
    answer = plan(server, gpu="h100-sxm5-80gb", gpu_count=n, as_of="2026-11-01")
    assert answer["price_oldest_date"] >= "2025-11-01" and answer["price_outdated_provider_count"] > 0
    then = plan(server, gpu="h100-sxm5-80gb", gpu_count=n, as_of="2025-01-01")
    assert then["price_newest_date"] < "2025-01-01" and then["price_outdated_provider_count"] == 0


def test_a_providers_own_newer_price_replaces_its_old_one(server):
    """Lambda lists an A100 with 40 GB at 1.99; its list of October 2024, under another name, had 1.29."""
    rows = ask(server, "/v1/offers", gpu="a100-pcie-40gb", provider="lambda", purchase_option="on_demand").json["rows"]
    newest = max(rows, key=lambda row: row["observed_date"])
    assert min(row["price_per_gpu_hour"] for row in rows) < newest["price_per_gpu_hour"]
    assert plan(server, gpu="a100-pcie-40gb", gpu_count=1)["price_per_gpu_hour"] == newest["price_per_gpu_hour"]
    row, = [row for row in ask(server, "/v1/price-summary", gpu="a100-pcie-40gb").json["rows"]
            if row["purchase_option"] == "on_demand"]
    assert row["median_price_per_gpu_hour"] == newest["price_per_gpu_hour"] and not row["stale"]


def test_without_three_newer_prices_the_old_ones_count(server):
    few = plan(server, gpu="v100-sxm2-16gb", gpu_count=8, precision="fp16", as_of="2026-11-01")
    assert few["price_oldest_date"] < "2025-11-01" and few["price_outdated_provider_count"] == 0


def test_clusters_rent_machines_with_a_network(server):
    many = plan(server, gpu="h100-sxm5-80gb", gpu_count=64)
    assert (many["price_basis"], many["availability"]) == ("cluster", "offered")
    assert many["network_gbit_per_second"] == 400
    used = {offer["provider"] for offer in many["offers_used"]}
    joined = {offer["provider"] for offer in ask(server, "/v1/offers", gpu="h100-sxm5-80gb").json["rows"]
              if offer["network_gbit_per_second"]}
    assert used and used <= joined
    bills = sorted(offer["job_price_per_gpu_hour"] for offer in many["offers_used"])
    middle = (bills[(len(bills) - 1) // 2] + bills[len(bills) // 2]) / 2
    assert many["price_per_gpu_hour"] == pytest.approx(middle, rel=1e-5)


def test_more_than_anyone_rents_as_one_says_so(server):
    vast = plan(server, gpu="h100-sxm5-80gb", gpu_count=32768)
    assert (vast["price_basis"], vast["availability"]) == ("cluster_premium", "unknown")
    assert "availability_unknown" in codes(vast)


def test_clusters_are_those_of_several_providers(server):
    for n in (64, 1024, 16384):
        cluster = plan(server, gpu="h100-sxm5-80gb", gpu_count=n)
        used = {offer["provider"] for offer in cluster["offers_used"]}
        assert {"aws", "azure", "coreweave", "crusoecloud", "nebius"} <= used
        assert cluster["rented_gpu_count"] == n and cluster["price_provider_count"] == len(used)
        assert all(offer["rented_gpu_count"] == n for offer in cluster["offers_used"])


def test_nobody_rents_from_an_aggregate(server):
    listed = ask(server, "/v1/offers", gpu="h100-sxm5-80gb", purchase_option="on_demand").json["rows"]
    aggregates = {"various", "marketplace-median"}
    assert aggregates <= {offer["provider"] for offer in listed}
    used = plan(server, gpu="h100-sxm5-80gb", gpu_count=1)["offers_used"]
    assert used and not aggregates & {offer["provider"] for offer in used}


def test_more_than_a_provider_rents_as_one_costs_a_premium(server):
    known = plan(server, gpu="h100-sxm5-80gb", gpu_count=8192, provider="azure")
    more = plan(server, gpu="h100-sxm5-80gb", gpu_count=16384, provider="azure")
    assert (known["price_basis"], known["availability"]) == ("cluster", "offered")
    assert (more["price_basis"], more["availability"]) == ("cluster_premium", "unknown")
    assert more["price_per_gpu_hour"] == pytest.approx(1.2 * known["price_per_gpu_hour"], rel=1e-5)
    assert "availability_unknown" in codes(more) and "availability_unknown" not in codes(known)


@pytest.mark.parametrize("gpu", ["a30", "rtx-4090", "p100-pcie-16gb"])
def test_a_card_without_a_network_has_no_cluster_price(server, gpu):
    several = plan(server, gpu=gpu, gpu_count=64, precision="fp16")
    assert several["price_per_gpu_hour"] is None and several["price_basis"] == "none"
    assert "no_price" in codes(several)


@pytest.mark.parametrize("gpu, gbit", [("t4", 12.5), ("l4", 12.5), ("l40s", 50), ("a30", 1.25),
                                       ("p100-pcie-16gb", 1.25), ("h100-sxm5-80gb", 400)])
def test_networks_are_those_that_are_sold(server, gpu, gbit):
    assert plan(server, gpu=gpu, gpu_count=16, precision="fp16")["network_gbit_per_second"] <= gbit


def test_the_plan_runs_on_the_rented_network(server):
    aws = plan(server, gpu="a100-sxm4-80gb", gpu_count=64, provider="aws")
    assert aws["network_gbit_per_second"] == 50


def test_emptied_filters_give_no_price(server):
    for filters in ({"provider": "ovhcloud"}, {"region": "nowhere"}):
        answer = plan(server, gpu="b300-sxm", gpu_count=8, **filters)
        assert answer["price_per_gpu_hour"] is None and answer["price_basis"] == "none"


def test_given_and_owned_prices_say_so(server):
    given = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, price_per_gpu_hour=2)
    owned = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, purchase_option="owned", utilization=0.8)
    assert (given["price_basis"], owned["price_basis"]) == ("given", "owned")


def test_every_priced_answer_says_what_it_stands_on(server):
    gpu = {"gpu": "h100-sxm5-80gb"}
    one = [plan(server, gpu_count=16, **gpu),
           ask(server, "/v1/inference-sizing", model="llama-2-13b", gpu_count=2, **gpu).json,
           ask(server, "/v1/break-even", gpu_count=16, utilization=0.5, **gpu).json]
    lists = [ask(server, "/v1/training-plan/options", gpu_count=16, **MODEL, **gpu).json,
             ask(server, "/v1/inference-sizing/options", model="llama-2-13b", **gpu).json,
             ask(server, "/v1/recommendation", workload="train", **MODEL, **gpu).json]
    for answer in one + [row for answer in lists for row in answer["options"]]:
        assert set(BASIS) <= set(answer)
        assert answer["price_basis"] != "none"


def prices_of_one_job(server, gpu, n, **filters):
    """The same training's GPUs, asked of plan, options and break-even."""
    common = {"gpu": gpu, "gpu_count": n} | filters
    planned = plan(server, precision="fp16", **common)
    listed = ask(server, "/v1/training-plan/options", precision="fp16", deadline_days=36500,
                 **MODEL, **common).json["options"]
    rented = ask(server, "/v1/break-even", utilization=0.5, purchase_option="on_demand", **common)
    prices = [planned["price_per_gpu_hour"]] + [row["price_per_gpu_hour"] for row in listed]
    if rented.status == 200:
        prices.append(rented.json["inputs"]["rent_price_per_gpu_hour"]["value"])
    return prices


GPUS = ["h100-sxm5-80gb", "a100-sxm4-80gb", "a100-sxm4-40gb", "h200-sxm5-141gb", "b200-sxm", "l40s",
        "t4", "l4", "v100-sxm2-16gb", "a10g"]


def test_one_job_has_one_price(server):
    draw = random.Random(19)
    for _ in range(30):
        gpu, n = draw.choice(GPUS), draw.choice([1, 2, 4, 8, 16, 64, 512, 4096])
        filters = draw.choice([{}, {"provider": "aws"}, {"provider": "aws,gcp,oci"}])
        prices = prices_of_one_job(server, gpu, n, **filters)
        known = [price for price in prices if price is not None]
        assert len(known) in (0, len(prices)), (gpu, n, filters, prices)
        assert known == pytest.approx(known[:1] * len(known), rel=1e-6), (gpu, n, filters, prices)


def test_more_gpus_never_cost_less(server):
    draw = random.Random(23)
    for _ in range(40):
        gpu = draw.choice(GPUS)
        filters = draw.choice([{}, {"provider": "aws"}, {"provider": "gcp,oci,lambda"},
                               {"purchase_option": "spot"}])
        counts = sorted(draw.sample([1, 2, 3, 4, 5, 8, 9, 16, 24, 32, 64, 256, 2048, 4008, 16384, 32768], 5))
        bills = []
        for n in counts:
            reply = ask(server, "/v1/break-even", gpu=gpu, gpu_count=n, utilization=0.5, **filters)
            if reply.status == 200 and reply.json["inputs"]["rent_price_per_gpu_hour"]["value"]:
                bills.append(n * reply.json["inputs"]["rent_price_per_gpu_hour"]["value"])
        assert all(b >= a * (1 - 1e-5) for a, b in zip(bills, bills[1:])), (gpu, filters, counts, bills)


def test_filters_are_never_widened(server):
    draw = random.Random(29)
    providers = ["aws", "gcp", "oci", "lambda", "nebius", "runpod", "coreweave"]
    for _ in range(40):
        gpu, n, provider = draw.choice(GPUS), draw.choice([1, 8, 64]), draw.choice(providers)
        answer = plan(server, gpu=gpu, gpu_count=n, provider=provider, precision="fp16")
        assert {offer["provider"] for offer in answer["offers_used"]} <= {provider}
        assert (answer["price_basis"] == "none") == (answer["price_per_gpu_hour"] is None)


def test_regions_have_groups(server):
    rows = ask(server, "/v1/offers", gpu="h100-sxm5-80gb", region="europe").json["rows"]
    assert {"eu-north-1", "eu-west-2"} <= {row["region"] for row in rows}
    assert not any(row["region"].startswith(("us", "ap-")) for row in rows)
    in_europe = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, region="europe")
    assert in_europe["offers_used"] and not in_europe["price_basis"] == "none"
    assert plan(server, gpu="h100-sxm5-80gb", gpu_count=8, region="Europe")["price_per_gpu_hour"] == \
        in_europe["price_per_gpu_hour"]


@pytest.mark.parametrize("asked", ["eu", "EU"])
def test_the_european_union_is_its_members(server, asked):
    rows = ask(server, "/v1/offers", region=asked, limit=1000).json["rows"]
    regions = {row["region"] for row in rows}
    assert "eu-north-1" in regions and not {"eu-west-2", "uk-south1", "ch-gva"} & regions
    assert {row["country"] for row in rows} <= set("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT "
                                                   "NL PL PT RO SE SI SK".split())


@pytest.mark.parametrize("asked, known", [("Germany", False), ("frankfurt", False), ("DE", True), ("asia", True)])
def test_a_region_nobody_has_is_not_one_without_offers(server, asked, known):
    answer = plan(server, gpu="mi300x", gpu_count=8, region=asked)
    said = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "no_price"]
    assert len(said) == 1 and said[0].startswith(f"no offer is in a region called {asked}") != known
    listed = ask(server, "/v1/offers", gpu="mi300x", region=asked).json
    assert not listed["rows"] and listed["warnings"][0]["detail"].startswith("no offer is in a region called") != known


def test_offers_show_what_plans_use(server):
    used = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, provider="coreweave")["offers_used"]
    listed = ask(server, "/v1/offers", gpu="h100-sxm5-80gb", provider="coreweave").json["rows"]
    assert {row["offer_id"] for row in used} <= {row["offer_id"] for row in listed} != set()


def test_a_change_is_one_that_was_observed(server):
    for row in ask(server, "/v1/price-summary").json["rows"]:
        if row["newest_observed_days"] is None or row["newest_observed_days"] >= 365:
            assert row["change_365_days_ratio"] is None, row
        assert row["stale"] == (row["stale_provider_count"] == row["provider_count"])


def test_an_empty_list_says_why(server):
    for path in ("/v1/offers", "/v1/price-summary", "/v1/price-summary/history"):
        for filters, reason in (dict(gpu="gaudi3"), "no provider is known to rent out gaudi3"), (
                dict(gpu="h100-sxm5-80gb", region="NZ"), "match no region or country filter"), (
                dict(gpu="h100-sxm5-80gb", region="nowhere"), "no offer is in a region called nowhere"):
            said, = ask(server, path, **filters).json["warnings"]
            assert said["code"] == "no_price" and reason in said["detail"], (path, said)
    said, = ask(server, "/v1/price-summary/history", gpu="mi300x").json["warnings"]
    assert said["code"] == "no_pair"
    said, = ask(server, "/v1/hosted-prices", model="bloom-176b").json["warnings"]
    assert said["code"] == "no_price"


def test_machines_that_nobody_connects_have_no_price_of_a_cluster(server):
    """Lambda's eight H100 are known, a network between two such machines is not."""
    asked = dict(gpu="h100-sxm5-80gb", utilization=0.7, provider="lambda", gpu_count=16)
    answer = ask(server, "/v1/break-even", **asked).json
    (warning,) = [each["detail"] for each in answer["warnings"] if each["code"] == "no_price"]
    assert "by lambda holds 16 GPUs that must be connected" in warning
    assert warning.endswith("enter rent_price_per_gpu_hour")
    apart = ask(server, "/v1/break-even", **asked, connected_gpu_count=8).json
    assert apart["inputs"]["rent_price_per_gpu_hour"]["value"] > 0


def test_a_missing_price_names_the_option_that_has_one(server):
    answer = plan(server, gpu="mi355x", gpu_count=8)
    said, = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "no_price"]
    assert "one is with purchase_option=spot" in said
    assert plan(server, gpu="mi355x", gpu_count=8, purchase_option="spot")["price_per_gpu_hour"] > 0


@pytest.mark.parametrize("gpu", ["vr200-nvl72", "mi455x"])
def test_what_is_announced_is_listed_and_no_plan_is_made_of_unknown_rates(server, gpu):
    row = server.get(f"/v1/gpus/{gpu}").json
    assert row["memory_gib"] > 200 and row["peak_bf16_dense_tflops"] is None and row["rack_gpu_count"] == 72
    for path in ("/v1/training-plan", "/v1/inference-sizing"):
        job = dict(tokens="1e11", gpu_count=72) if path == "/v1/training-plan" else dict(requests_per_minute=60)
        reply = ask(server, path, gpu=gpu, model="llama-2-13b", **job)
        assert reply.status == 400 and "16-bit peak of this GPU is not known" in reply.text, reply.text
    said, = ask(server, "/v1/price-summary", gpu=gpu).json["warnings"]
    assert said["code"] == "no_price"


def test_a_reserved_price_above_that_on_demand_is_explained(server):
    """It is that of a few providers, whose own prices on demand are higher still."""
    answer = ask(server, "/v1/price-summary", gpu="b200-sxm").json
    said = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "other_providers"]
    medians = {row["purchase_option"]: row["median_price_per_gpu_hour"] for row in answer["rows"]}
    above = [option for option in ("reserved_1yr", "reserved_3yr") if medians[option] > medians["on_demand"]]
    assert [text.split()[0] for text in said] == above != []


def test_an_outlier_is_told_from_its_neighbours(server):
    rows = ask(server, "/v1/offers", gpu="h100-sxm5-80gb", purchase_option="on_demand").json["rows"]
    assert all(row["outlier"] for row in rows if row["price_per_gpu_hour"] == 0.69)
    assert any(not row["outlier"] for row in rows)


def test_reserved_prices_are_the_providers_own_where_they_are_known(server):
    for option, whole_term in (("reserved_1yr", 551221 / 8760), ("reserved_3yr", 1134310 / 26280)):
        azure = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, provider="azure", purchase_option=option)
        assert hourly(azure) == pytest.approx(whole_term, rel=1e-5)
        assert azure["price_derived_provider_count"] == 0 and "derived_price" not in codes(azure)
        derived = plan(server, gpu="mi300x", gpu_count=8, purchase_option=option)
        assert derived["price_derived_provider_count"] == derived["price_provider_count"]
        assert "derived_price" in codes(derived)


def test_what_a_provider_asks_for_the_other_term_bounds_what_is_derived(server):
    """Civo publishes three years only: one is not to be had for less."""
    for gpu in ("h100-sxm5-80gb", "h200-sxm5-141gb", "l40s"):
        price = {option: plan(server, gpu=gpu, gpu_count=1, precision="bf16", provider="civo", purchase_option=option)["price_per_gpu_hour"]
                 for option in ("on_demand", "reserved_1yr", "reserved_3yr")}
        assert price["reserved_3yr"] <= price["reserved_1yr"] <= price["on_demand"], (gpu, price)
        every = plan(server, gpu=gpu, gpu_count=1, precision="bf16", purchase_option="reserved_1yr")
        year, = [offer["job_price_per_gpu_hour"] for offer in every["offers_used"] if offer["provider"] == "civo"]
        assert year >= price["reserved_3yr"] - 1e-6


@pytest.mark.parametrize("gpu, year, three_years", [
    ("a100-sxm4-80gb", 17.40137, 11.71777), ("h100-sxm5-80gb", 34.6752, 23.77728), ("h200-sxm5-141gb", 39.87648, 27.34387),
    ("b200-sxm", 89.72208, 49.21897), ("b300-sxm", 112.1526, 61.52371)])
def test_amazon_is_reserved_at_its_own_prices(server, gpu, year, three_years):
    """Savings Plans in us-east-1 with nothing paid ahead, the file of 2026-09-25."""
    for option, per_hour in (("reserved_1yr", year), ("reserved_3yr", three_years)):
        amazon = plan(server, gpu=gpu, gpu_count=8, provider="aws", region="us-east-1", purchase_option=option)
        assert hourly(amazon) == pytest.approx(per_hour, rel=1e-5)
        assert amazon["price_derived_provider_count"] == 0 and "derived_price" not in codes(amazon)


def test_half_of_a_reserved_price_is_published(server):
    """At least half of the providers that rent out eight at once publish the price of a year."""
    for gpu in ("h100-sxm5-80gb", "h200-sxm5-141gb", "b300-sxm"):
        answer = plan(server, gpu=gpu, gpu_count=8, purchase_option="reserved_1yr")
        assert answer["price_derived_provider_count"] <= answer["price_provider_count"] / 2


def test_google_is_reserved_at_its_own_prices(server):
    """https://cloud.google.com/compute/gpus-pricing by way of its billing catalogue: 61.38 and 38.86 an hour."""
    for option, per_hour in (("reserved_1yr", 44810.08066464 / 730), ("reserved_3yr", 28370.99821392 / 730)):
        google = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, provider="gcp", region="us-central1", purchase_option=option)
        assert hourly(google) == pytest.approx(per_hour, rel=1e-5)
        assert google["price_derived_provider_count"] == 0


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("filters", [{}, {"provider": "azure"}, {"provider": "gcp"}, {"provider": "civo"}, {"region": "europe"}])
def test_a_longer_commitment_never_costs_more(server, gpu, filters):
    for n in (1, 8, 64):
        prices = [plan(server, gpu=gpu, gpu_count=n, precision="fp16", purchase_option=option, **filters)["price_per_gpu_hour"]
                  for option in ("on_demand", "reserved_1yr", "reserved_3yr")]
        known = [price for price in prices if price is not None]
        assert len(known) in (0, 3) or len(known) == 2 and prices[0] is None, "some are rented by the year alone"
        assert known == sorted(known, reverse=True), (n, prices)


def test_a_discount_is_the_providers_alone(server):
    job = {"gpu": "h100-sxm5-80gb", "gpu_count": 8}
    listed = {offer["provider"]: offer["job_price_per_gpu_hour"] for offer in plan(server, **job)["offers_used"]}
    cut = plan(server, **job, provider_discounts="aws:0.3,coreweave:0.2")
    paid = {offer["provider"]: offer["job_price_per_gpu_hour"] for offer in cut["offers_used"]}
    expected = listed | {"aws": 0.7 * listed["aws"], "coreweave": 0.8 * listed["coreweave"]}
    assert paid == pytest.approx(expected, rel=1e-6)
    rented = ask(server, "/v1/break-even", utilization=0.5, provider_discounts="aws:0.3,coreweave:0.2", **job).json
    assert rented["inputs"]["rent_price_per_gpu_hour"]["value"] == cut["price_per_gpu_hour"]


@pytest.mark.parametrize("provider, n", [("aws", 8), ("coreweave", 1024), ("oci", 64)])
def test_what_is_paid_already_is_used_first(server, provider, n):
    """Whatever others ask, and however old the provider's own list is."""
    free = plan(server, gpu="h100-sxm5-80gb", gpu_count=n, provider_discounts=f"{provider}:1")
    assert free["price_per_gpu_hour"] == 0 and {offer["provider"] for offer in free["offers_used"]} == {provider}
    assert not {"stale_price", "list_price", "single_provider"} & codes(free)


def test_a_cluster_at_list_price_says_so(server):
    answer = plan(server, gpu="h100-sxm5-80gb", gpu_count=64)
    said = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "list_price"]
    asked = sorted(offer["job_price_per_gpu_hour"] for offer in answer["offers_used"])
    assert len(said) == 1 and "nobody was asked whether 64 GPUs are free" in said[0]
    assert f"{answer['price_per_gpu_hour']:.4g} USD/GPU-hour is the median" in said[0]
    assert f"({asked[0]:.4g} to {asked[-1]:.4g})" in said[0]
    assert "negotiated" not in said[0] and "list_price" not in codes(plan(server, gpu="h100-sxm5-80gb", gpu_count=8))
    large = {option: next(warning["detail"] for warning in plan(server, gpu="h100-sxm5-80gb", gpu_count=1024, purchase_option=option)
                          ["warnings"] if warning["code"] == "list_price") for option in ("on_demand", "reserved_1yr")}
    assert "256 GPUs and more are usually negotiated to 30% less (20% to 55%" in large["on_demand"]
    assert "negotiated" not in large["reserved_1yr"], "a commitment's price includes its discount"


@pytest.mark.parametrize("discounts, said", [("aws", "ratios from 0 to 1"), ("aws:1.5", "ratios from 0 to 1"),
                                             ("awz:0.1", "did you mean aws"), ("aws:0.1,AWS:0.2", "twice")])
@pytest.mark.parametrize("path, values", [("/v1/training-plan", MODEL), ("/v1/inference-sizing", {"model": "llama-2-13b"}),
                                          ("/v1/break-even", {"utilization": 0.5}),
                                          ("/v1/recommendation", MODEL | {"workload": "train"})])
def test_a_discount_that_is_none_is_refused(server, path, values, discounts, said):
    reply = ask(server, path, gpu="h100-sxm5-80gb", provider_discounts=discounts, **values)
    assert reply.status == 400 and said in reply.json["errors"][0]["detail"], reply.text

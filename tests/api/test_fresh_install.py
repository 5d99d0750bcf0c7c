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


def test_models_of_this_year_and_their_native_formats(server):
    def model(name):
        reply = server.get(f"/v1/models/{name}")
        assert reply.status == 200, name
        return reply.json

    for name in ("kimi-k2.6", "deepseek-v3.1", "glm-4.6", "qwen3.6-27b", "qwen3-embedding-8b", "gemma-4-31b",
                 "mistral-small-3.2-24b", "nemotron-3-nano-30b-a3b", "granite-4.0-h-small", "olmo-3-32b",
                 "minimax-m2.7"):
        assert model(name)["source"]
    oss = model("gpt-oss-120b")
    assert (oss["native_dtype"], oss["native_attention_bytes_per_parameter"],
            oss["native_expert_bytes_per_parameter"]) == ("fp4", 2, 0.5)
    assert (oss["scale_block_size"], oss["scale_bytes"]) == (32, 1)
    assert model("kimi-k2.5")["native_dtype"] == "int4" and model("kimi-k2-0905")["native_dtype"] == "fp8"
    assert model("deepseek-v3.2")["index_top_k_tokens"] == 2048
    assert model("qwen3.5-35b-a3b")["recurrent_state_dtype"] == "fp32"
    assert model("gpt2")["native_dtype"] is None


def test_native_bytes_make_the_published_checkpoints(server):
    """What the columns give, against the size of the checkpoint's files as their makers list it."""
    for name, published_gb in (("gpt-oss-20b", 13.8), ("gpt-oss-120b", 65.2), ("qwen3-32b", 65.5)):
        m = server.get(f"/v1/models/{name}").json
        matrices = 3 if m["gated_ffn"] else 2
        experts = m["expert_layer_count"] * m["expert_count"] * matrices * m["hidden_size"] * m["expert_intermediate_size"]
        scale = m["scale_bytes"] / m["scale_block_size"] if m["scale_block_size"] else 0
        total = experts * ((m["native_expert_bytes_per_parameter"] or 0) + scale) + (m["parameters"] - experts) * 2
        assert abs(total / 1e9 - published_gb) < 0.01 * published_gb, (name, total)


def test_boards_networks_and_links(server):
    rows = {row["gpu"]: row for row in server.get("/v1/gpus", limit=1000).json["rows"]}
    boards = {gpu: row["board_gpu_count"] for gpu, row in rows.items()}
    assert (boards["h100-sxm5-80gb"], boards["mi300x"], boards["gb200-nvl72"], boards["rtx-4090"]) == (8, 8, 4, 1)
    assert boards["tpu-v5p"] is None  # not sold
    assert rows["h100-sxm5-80gb"]["network_gbit_per_second"] == 400
    assert all(rows[gpu]["network_gbit_per_second"] is None for gpu in ("rtx-4090", "a40", "rtx-5080"))
    for row in rows.values():
        assert (row["memory_usable_gib"] or 0) <= row["memory_gib"] * 1.0001, row["gpu"]
        if row["ecc"] and row["memory_type"] == "GDDR6" and row["vendor"] == "NVIDIA":  # a sixteenth holds the codes
            assert row["memory_usable_gib"] <= row["memory_gib"] * 0.94, row["gpu"]
        if row["link_count"]:
            assert abs(row["link_count"] * row["link_each_unidirectional_gb_per_second"]
                       - row["link_unidirectional_gb_per_second"]) < 0.02 * row["link_unidirectional_gb_per_second"]
    assert (rows["a30"]["mig_instance_count"], rows["h200-nvl-141gb"]["mig_instance_count"]) == (4, 7)
    figures = server.get("/v1/gpus/gb200-nvl72").json["figures"]
    assert all(row["source"] for row in figures)
    sold = server.get("/v1/gpus/gb200-nvl72").json["assemblies"]
    assert [(row["assembly"], row["gpu_count"]) for row in sold] == [("board", 4), ("half_rack", 36), ("rack", 72)]
    assert abs(sold[2]["memory_gib"] - 72 * rows["gb200-nvl72"]["memory_gib"]) < 1
    assert abs(sold[2]["tdp_w"] - 18 * sold[0]["tdp_w"]) < 1
    assert server.get("/v1/gpus/rtx-4090").json["assemblies"] == []


def test_eight_a100_cost_less_than_eight_h100(server):
    cost = {gpu: server.get("/v1/break-even", gpu=gpu, gpu_count=8, utilization=0.7).json["buy_total_cost"]
            for gpu in ("a100-sxm4-80gb", "h100-sxm5-80gb")}
    assert cost["a100-sxm4-80gb"] < cost["h100-sxm5-80gb"]


def test_an_ambiguous_name_is_refused_with_the_choice(server):
    for typed, choice in (("a100", "a100-sxm4-80gb"), ("H100", "h100-nvl-94gb")):
        reply = server.get("/v1/break-even", gpu=typed, utilization=0.7)
        assert reply.status == 400 and choice in reply.json["errors"][0]["detail"], reply.text
        assert "a10g" not in reply.text
    assert "h100-pcie-80gb" in server.get("/v1/gpus/h100").json["detail"]

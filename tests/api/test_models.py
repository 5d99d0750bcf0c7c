"""Models of the catalogue, config.json files read back as models, and the assumptions."""
import json
import pathlib
import urllib.parse

import pytest

CONFIGS = pathlib.Path(__file__).parent / "hf-configs"

# Families the catalogue has no model of, each with its count and where that is from.
FAMILIES = json.loads((pathlib.Path(__file__).parent / "families.json").read_text())

# The models the catalogue has under another name than the file's.
SLUGS = {"llama-2-7b-hf": "llama-2-7b", "llama-2-70b-hf": "llama-2-70b",
         "meta-llama-3.1-70b": "llama-3.1-70b", "qwen2-72b-instruct": "qwen2.5-72b",
         "qwen3-next-80b-a3b-instruct": "qwen3-next-80b-a3b"}

# What a config does not say: names, and where the catalogue has the shape from.
OWN = {"model", "name", "aliases", "hf_id", "note", "source", "source_date", "sliding_pattern",
       "catalog_version"}

# Where the catalogue's sources and the file differ, and what of: Qwen2 72B has the shape of
# Qwen2.5 72B and a shorter context; MiMo's value heads are narrower, which the catalogue's table
# does not state; the catalogue's rows are text models without their vision towers.
DIFFER = {"qwen2-72b-instruct": {"max_position_tokens"}, "mimo-v2-flash": {"v_head_dim"},
          "qwen3.5-35b-a3b": {"frozen_parameters"}, "gemma-4-26b-a4b": {"frozen_parameters"}}


def slug(path):
    return path.name.removesuffix(".config.json").lower()


def post(server, body, path="/v1/models", content_type="application/json"):
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    return server.request("POST", path, body, {"Content-Type": content_type})


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.json")), ids=slug)
def test_a_posted_config_is_the_catalogues_model(server, path):
    reply = post(server, path.read_bytes())
    assert reply.status == 200, reply.text
    got = reply.json
    known = server.get(f"/v1/models/{SLUGS.get(slug(path), slug(path))}").json
    fields = set(known) - OWN - DIFFER.get(slug(path), set()) - {"links", "warnings", "inputs"}
    assert {name: got[name] for name in fields} == {name: known[name] for name in fields}


@pytest.mark.parametrize("row", FAMILIES, ids=lambda row: row["name"])
def test_a_posted_config_of_every_family(server, row):
    reply = post(server, row["config"])
    assert reply.status == 200, reply.text
    got = reply.json
    assert got["parameters"] == row["parameters"], row["source"]
    assert got["frozen_parameters"] == row["frozen"], row["source"]
    assert got["active_parameters"] == row.get("active", got["active_parameters"])
    kinds = [got[f"{kind}_layer_count"] for kind in ("full", "sliding", "linear", "expert")]
    assert kinds == row.get("layers", kinds)
    frozen = [w for w in reply.json["warnings"] if f"{row['frozen']} weights" in w["detail"]]
    assert bool(frozen) == (row["frozen"] > 0)


# What the catalogue's columns do not say of a family, as its published configs say it.
LINEAR = {"linear_num_key_heads": 16, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
          "linear_conv_kernel_dim": 4}
FAMILY_SAYS = {
    "falcon": {"multi_query": True, "bias": False, "parallel_attn": True},
    "gemma4": {"num_global_key_value_heads": 2, "global_head_dim": 512, "attention_k_eq_v": True},
    "mimo_v2_flash": {"swa_num_key_value_heads": 8, "swa_v_head_dim": 128, "v_head_dim": 128},
}
MODEL_SAYS = {
    "falcon-40b": {"new_decoder_architecture": True},
    "falcon-180b": {"new_decoder_architecture": True},
    "qwen3-next-80b-a3b": LINEAR | {"linear_num_value_heads": 32},
    "qwen3.5-35b-a3b": LINEAR | {"linear_num_value_heads": 32},
    "qwen3.5-122b-a10b": LINEAR | {"linear_num_value_heads": 64},
    "qwen3.5-397b-a17b": LINEAR | {"linear_num_value_heads": 64},
    "qwen3.5-27b": LINEAR | {"linear_num_value_heads": 48},
    "qwen3.6-27b": LINEAR | {"linear_num_value_heads": 48},
    "qwen3.6-35b-a3b": LINEAR | {"linear_num_value_heads": 32},
    "glm-4.5": {"use_qk_norm": True, "attention_bias": True},
    "glm-4.6": {"use_qk_norm": True, "attention_bias": True},
    "glm-4.5-air": {"attention_bias": True},
    "gemma-4-31b-it": {"num_global_key_value_heads": 4},
}
STATES = {"nemotron_h", "granitemoehybrid"}  # the columns do not tell the sizes of their layers


def config_of(row):
    """The config.json of a row of the catalogue: the order of its layers makes no count."""
    kinds = (["sliding_attention"] * row["sliding_layer_count"]
             + ["linear_attention"] * row["linear_layer_count"]
             + ["full_attention"] * row["full_layer_count"])
    config = {
        "model_type": row["model_type"], "num_hidden_layers": row["layer_count"],
        "hidden_size": row["hidden_size"], "num_attention_heads": row["head_count"],
        "num_key_value_heads": row["kv_head_count"], "head_dim": row["head_dim"],
        "vocab_size": row["vocabulary_size"], "tie_word_embeddings": row["tied_embeddings"],
        "max_position_embeddings": row["max_position_tokens"], "layer_types": kinds}
    if row["intermediate_size"]:
        config["intermediate_size"] = row["intermediate_size"]
    if row["sliding_window_tokens"]:
        config |= {"sliding_window": row["sliding_window_tokens"], "use_sliding_window": True}
    if config["max_position_embeddings"] == row["sliding_window_tokens"]:
        config["max_position_embeddings"] += 1  # else the window would be none
    if row["expert_count"]:
        config |= {
            "num_experts": row["expert_count"], "num_experts_per_tok": row["experts_per_token"],
            "moe_intermediate_size": row["expert_intermediate_size"],
            "n_shared_experts": row["shared_expert_count"],
            "mlp_layer_types": ["dense"] * (row["layer_count"] - row["expert_layer_count"])
            + ["sparse"] * row["expert_layer_count"]}
    if row["kv_lora_rank"]:
        config |= {name: row[name] for name in (
            "q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")}
    return config | FAMILY_SAYS.get(row["model_type"], {}) | MODEL_SAYS.get(row["model"], {})


def test_every_row_of_the_catalogue_reads_back_to_the_parameter(server):
    rows = server.get("/v1/models").json["rows"]
    assert len(rows) >= 100
    same = ("parameters", "active_parameters", "kv_cache_bytes_per_token", "full_layer_count",
            "sliding_layer_count", "linear_layer_count", "expert_layer_count",
            "all_reduces_per_layer", "gated_ffn", "attention")
    differ = {}
    for row in rows:
        if row["model_type"] in STATES or row["encoder"]:  # test_encoders.py has those
            continue
        reply = post(server, config_of(row))
        assert reply.status == 200, (row["model"], reply.text)
        wrong = {name: (reply.json[name], row[name]) for name in same
                 if reply.json[name] != row[name]}
        if wrong:
            differ[row["model"]] = wrong
    assert differ == {}


@pytest.mark.parametrize("config, pointer", [
    ({"model_type": "t5"}, "#/model_type"),
    ({"model_type": "mamba2", "state_size": 128}, "#/model_type"),
    ({"model_type": "nemotron-nas", "block_configs": [{}]}, "#/model_type"),
    ({"model_type": "gemma3n", "text_config": {"model_type": "gemma3n_text",
                                               "intermediate_size": [1]}},
     "#/text_config/model_type"),
    ({"model_type": "gemma4", "num_kv_shared_layers": 18}, "#/num_kv_shared_layers"),
    ({"block_configs": [{}]}, "#/block_configs"),
    ({"ssm_state_size": 128}, "#/ssm_state_size"),
])
def test_what_cannot_be_counted_is_refused(server, config, pointer):
    whole = json.loads((CONFIGS / "Llama-2-7b-hf.config.json").read_text()) | config
    if "text_config" in config:
        whole = config
    reply = post(server, whole)
    assert reply.status == 400, reply.text
    assert [error["pointer"] for error in reply.json["errors"]] == [pointer]
    assert "cannot be counted" in reply.json["errors"][0]["detail"] \
        or "can be counted" in reply.json["errors"][0]["detail"]


def test_a_tower_is_said_in_a_plan(server):
    config = next(row["config"] for row in FAMILIES if row["name"] == "gemma-3-4b-it")
    reply = server.post("/v1/training-plan", {
        "tokens": 1e9, "gpu": "h100-sxm5-80gb", "gpu_count": 8, "model_config": config})
    assert reply.status == 200, reply.text
    assert any("419816304 weights" in warning["detail"] for warning in reply.json["warnings"])


def test_nothing_is_stored(server):
    before = server.get("/v1/models?count=1").json["count"]
    config = json.loads((CONFIGS / "gpt2.config.json").read_text()) | {"_name_or_path": "me/unheard"}
    assert post(server, config).json["model"] == "unheard"
    assert server.get("/v1/models?count=1").json["count"] == before
    assert server.get("/v1/models/unheard").status == 404


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xml", "txt"])
def test_a_posted_config_in_every_format(server, suffix):
    body = (CONFIGS / "Llama-2-7b-hf.config.json").read_bytes()
    reply = post(server, body, f"/v1/models.{suffix}")
    assert reply.status == 200, reply.text
    assert "6738415616" in reply.text
    assert suffix != "txt" or reply.text == "6738415616"


def test_what_is_guessed_is_said(server):
    config = json.loads((CONFIGS / "Llama-2-7b-hf.config.json").read_text())
    reply = post(server, config | {"model_type": "unheard_of"}).json
    assert reply["parameters"] == 6738415616
    assert any("unheard_of" in warning["detail"] for warning in reply["warnings"])
    assert post(server, config).json["warnings"] == []


@pytest.mark.parametrize("change, pointer, code", [
    ({"num_hidden_layers": None}, "#/num_hidden_layers", "missing_parameter"),
    ({"num_hidden_layers": 0}, "#/num_hidden_layers", "out_of_range"),
    ({"hidden_size": -4096}, "#/hidden_size", "out_of_range"),
    ({"vocab_size": 1e12}, "#/vocab_size", "out_of_range"),
    ({"hidden_size": "4096"}, "#/hidden_size", "wrong_type"),
    ({"num_attention_heads": 32.5}, "#/num_attention_heads", "not_whole"),
    ({"num_key_value_heads": 5}, "#/num_key_value_heads", "contradiction"),
    ({"tie_word_embeddings": 1}, "#/tie_word_embeddings", "wrong_type"),
    ({"layer_types": ["full_attention"]}, "#/layer_types", "contradiction"),
])
def test_a_config_that_makes_no_sense_names_the_member(server, change, pointer, code):
    config = json.loads((CONFIGS / "Llama-2-7b-hf.config.json").read_text())
    reply = post(server, config | change)
    assert reply.status == 400
    assert reply.headers["Content-Type"] == "application/problem+json"
    culprits = {error.get("pointer"): error for error in reply.json["errors"]}
    assert pointer in culprits, culprits
    assert culprits[pointer]["code"] == code


def test_every_missing_member_is_named_at_once(server):
    errors = post(server, {"model_type": "llama"}).json["errors"]
    assert {error["pointer"] for error in errors} == {
        "#/num_hidden_layers", "#/hidden_size", "#/num_attention_heads", "#/vocab_size"}


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.json")), ids=slug)
def test_a_config_serves_as_the_model_of_a_question(server, path):
    question = {"gpu": "h100-sxm5-80gb", "gpu_count": 64, "tensor_parallel": 8, "input_tokens": 512,
                "output_tokens": 16, "replica_count": 8}
    config = json.loads(path.read_text())
    if config.get("text_config", config).get("num_attention_heads", config.get("n_head")) % 8:
        question |= {"tensor_parallel": 1, "replica_count": 64}
    own = server.post("/v1/inference-sizing", question | {"model_config": config})
    assert own.status == 200, own.text
    known = server.post("/v1/inference-sizing",
                        question | {"model": SLUGS.get(slug(path), slug(path))})
    assert known.status == 200, known.text
    if slug(path) not in DIFFER:
        for name in ("fits", "weights_gib", "kv_cache_bytes_per_token", "output_tokens_per_second"):
            assert own.json[name] == known.json[name], name


def test_a_bad_config_in_a_question_points_inside_it(server):
    reply = server.post("/v1/training-plan", {
        "tokens": 1e9, "gpu": "h100-sxm5-80gb", "gpu_count": 8,
        "model_config": {"model_type": "gemma3", "text_config": {"hidden_size": "x"}}})
    assert reply.status == 400
    assert reply.json["errors"][0]["pointer"] == "#/model_config/text_config/hidden_size"


@pytest.mark.parametrize("query, keeps", [
    ("q=mixtral", lambda row: "mixtral" in row["model"]),
    ("q=MISTRALAI/", lambda row: row["hf_id"].startswith("mistralai/")),
    ("model_type=qwen3_moe", lambda row: row["model_type"] == "qwen3_moe"),
    ("attention=MLA", lambda row: row["kv_lora_rank"] > 0),
    ("attention=mla", lambda row: row["kv_lora_rank"] > 0),
    ("mixture_of_experts=1", lambda row: row["expert_count"] > 0),
    ("mixture_of_experts=0", lambda row: row["expert_count"] == 0),
    ("min_parameters=1e11", lambda row: row["parameters"] >= 1e11),
    ("max_parameters=2e9", lambda row: row["parameters"] <= 2e9),
    ("min_max_position_tokens=262144", lambda row: row["max_position_tokens"] >= 262144),
])
def test_filters(server, query, keeps):
    every = server.get("/v1/models").json["rows"]
    rows = server.get("/v1/models?" + query).json["rows"]
    assert 0 < len(rows) < len(every)
    assert rows == [row for row in every if keeps(row)]


def test_unknown_names_are_refused_with_the_nearest(server):
    assert "llama" in server.get("/v1/models?model_type=lama").json["errors"][0]["detail"]
    reply = server.get("/v1/models/llama-2-70")
    assert reply.status == 404
    assert "llama-2-70b" in reply.json["detail"]
    reply = server.get("/v1/models?min_parameters=2e9&max_parameters=1e9")
    assert (reply.status, reply.json["errors"][0]["code"]) == (400, "contradiction")


def test_a_dot_in_a_name_is_no_suffix(server):
    assert server.get("/v1/models/qwen2.5-7b").json["name"] == "Qwen2.5-7B"
    assert server.get("/v1/models/qwen2.5-7b.txt").text == "7615616512"
    assert server.get("/v1/models/nothing-1.5").status == 404


def test_an_alias_is_the_model(server):
    rows = [row for row in server.get("/v1/models").json["rows"] if row["aliases"]]
    assert rows
    for row in rows:
        for alias in row["aliases"].replace(",", " ").split():
            assert server.get(f"/v1/models/{alias}").json["model"] == row["model"], alias


def test_shapes_add_up(server):
    for row in server.get("/v1/models").json["rows"]:
        ffn_alone = row["dense_layer_count"] + row["expert_layer_count"] if row["model_type"] == "nemotron_h" else 0
        assert (row["full_layer_count"] + row["sliding_layer_count"] + row["linear_layer_count"] + ffn_alone
                == row["layer_count"]), row["model"]
        assert row["active_parameters"] <= row["parameters"], row["model"]
        assert row["source"] and row["source_date"], row["model"]


def test_assumptions_have_band_source_and_date(server):
    rows = server.get("/v1/assumptions").json["rows"]
    assert len({(row["key"], row["scope"]) for row in rows}) == len(rows) > 170
    for row in rows:
        assert row["source"] and row["source_date"], row["key"]
        known = [row[end] for end in ("low", "default", "high") if row[end] is not None]
        assert known == sorted(known), row["key"]


def test_assumptions_by_key_scope_and_group(server):
    rows = server.get("/v1/assumptions?key=o_engine").json["rows"]
    assert {"vllm", "sglang"} <= {row["scope"] for row in rows}
    assert [row["scope"] for row in
            server.get("/v1/assumptions?key=o_engine&scope=vllm").json["rows"]] == ["vllm"]
    rows = server.get("/v1/assumptions?group=rent").json["rows"]
    assert rows and {row["group"] for row in rows} == {"rent"}
    assert server.get("/v1/assumptions.txt?key=pue").text == "1.54"


def test_an_unknown_assumption_is_refused_with_the_nearest(server):
    reply = server.get("/v1/assumptions?key=pu")
    assert (reply.status, reply.json["errors"][0]["code"]) == (400, "unknown_name")
    assert "pue" in reply.json["errors"][0]["detail"]


def test_a_default_of_an_answer_leads_to_its_assumption(server):
    inputs = server.get("/v1/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7"
                        "&rent_price_per_gpu_hour=3.93").json["inputs"]
    pue = inputs["pue"]
    assert pue["source"] == "default"
    row = server.get(pue["reference"]).json["rows"][0]
    assert row["default"] == pue["value"]


def test_the_index_lists_every_path(server):
    index = server.get("/v1").json
    assert index["gpu_count"] == server.get("/v1/gpus?count=1").json["count"]
    assert index["model_count"] == server.get("/v1/models?count=1").json["count"]
    assert index["assumption_count"] == server.get("/v1/assumptions?count=1").json["count"]
    assert {row["path"] for row in index["paths"]} == set(server.get("/openapi.json").json["paths"])
    assert server.get("/v1.txt").text == index["catalog_version"]


@pytest.mark.parametrize("typed, slug, tuned", [
    ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct", False),
    ("Qwen/QwQ-32B", "qwq-32b", False), ("unsloth/qwq-32b", "qwq-32b", False),
    ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b", True)])
def test_a_repository_of_the_hub_is_the_catalogues_model(server, typed, slug, tuned):
    """Everywhere alike: the answers differ in the warning at most."""
    for path, question in [("/v1/inference-sizing", {"gpu": "h200-sxm5-141gb", "requests_per_minute": 10}),
                           ("/v1/training-plan", {"gpu": "h200-sxm5-141gb", "gpu_count": 64, "tokens": 1e9}),
                           ("/v1/recommendation", {"workload": "serve", "requests_per_minute": 10}),
                           ("/v1/hosted-prices", {}), ("/v1/measurements", {})]:
        asked = server.get(path, model=typed, **question)
        known = server.get(path, model=slug, **question)
        assert asked.status == known.status == 200, asked.text
        warnings = {warning["code"] for warning in asked.json.get("warnings", [])}
        assert ("model_tuning" in warnings) == tuned
        asked, known = (json.dumps({name: value for name, value in reply.json.items()
                                    if name not in ("links", "warnings")})
                        .replace(urllib.parse.quote(typed, safe=""), slug).replace(typed, slug)
                        for reply in (asked, known))
        assert asked == known


@pytest.mark.parametrize("quantization,dtype,gib", [
    (dict(quant_method="awq", bits=4, group_size=128, version="gemm"), "int4", 37.7),
    (dict(quant_method="gptq", bits=4, group_size=128, desc_act=False), "int4", 37.7),
    (dict(quant_method="bitsandbytes", load_in_4bit=True, bnb_4bit_quant_type="nf4"), "int4", 37.7),
    (dict(quant_method="fbgemm_fp8", activation_scale_ub=1200), "fp8", 67.7)])
def test_a_quantised_config_is_not_sized_in_16_bit(server, quantization, dtype, gib):
    """AWQ of a 70B is 39.8 GB on the hub; it was sized at 131 GiB."""
    config = dict(model_type="llama", architectures=["LlamaForCausalLM"], hidden_size=8192,
                  intermediate_size=28672, num_attention_heads=64, num_hidden_layers=80,
                  num_key_value_heads=8, vocab_size=128256, max_position_embeddings=131072,
                  torch_dtype="float16", tie_word_embeddings=False, quantization_config=quantization)
    reply = server.post("/v1/inference-sizing", dict(gpu="h100-sxm5-80gb", model_config=config))
    assert reply.status == 200, reply.text
    assert reply.json["weights_gib"] == pytest.approx(gib, rel=0.005)
    assert reply.json["gpu_count"] == 1
    assert server.post("/v1/models", config).json["native_dtype"] == dtype


def test_an_unknown_quantisation_is_said(server):
    config = json.loads((CONFIGS / "Llama-2-7b-hf.config.json").read_text())
    config["quantization_config"] = dict(quant_method="aqlm", nbits_per_codebook=16)
    reply = server.post("/v1/inference-sizing", dict(gpu="rtx-4090", model_config=config)).json
    said = [w["detail"] for w in reply["warnings"] if w["code"] == "model_config"]
    assert len(said) == 1 and "quantization_config, aqlm is unknown here: 16 bit is assumed" in said[0]


WRAPPED = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
           "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
           "torch_dtype": "bfloat16"}


def test_a_config_in_model_config_is_the_same_model(server):
    plain, wrapped = post(server, WRAPPED), post(server, {"model_config": WRAPPED})
    assert wrapped.status == 200 and wrapped.json["parameters"] == plain.json["parameters"] > 8e9
    refused = post(server, {"model_config": {"hidden_size": 4096}})
    assert refused.status == 400 and all(error["pointer"].startswith("#/model_config/") for error in refused.json["errors"])


def test_a_config_as_it_is_may_be_the_whole_body(server):
    """The other inputs are then in the query string, as curl -d @config.json sends it."""
    path = "/v1/inference-sizing?gpu=l4&concurrent_requests=1"
    bare = post(server, WRAPPED, path)
    assert bare.status == 200 and bare.json["gpu_count"] == 1, bare.text
    assert bare.json["weights_gib"] == post(server, {"model_config": WRAPPED}, path).json["weights_gib"]
    refused = post(server, WRAPPED, "/v1/price-summary?gpu=l4")
    assert refused.status in (400, 405)


def test_published_in_fp4_with_wider_mamba_layers(server):
    """NVIDIA's NVFP4 checkpoints of Nemotron 3: weights by default as published, not in 16 bit (225 and 59 GiB)."""
    for model, most in (("nvidia-nemotron-3-super-120b-a12b-nvfp4", 80),
                        ("nvidia-nemotron-3.5-lightning-30b-a3b-nvfp4", 22)):
        answer = server.get("/v1/inference-sizing", model=model, gpu="b200-sxm", requests_per_minute=60,
                            input_tokens=512, output_tokens=200).json
        assert 0.8 * most < answer["weights_gib"] < most

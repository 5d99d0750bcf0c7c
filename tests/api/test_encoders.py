"""Models that read texts and write none: encoders, models of embeddings, rerankers."""
import json

import pytest

XLM_ROBERTA = {"architectures": ["XLMRobertaModel"], "hidden_size": 1024, "intermediate_size": 4096,
               "max_position_embeddings": 8194, "model_type": "xlm-roberta", "num_attention_heads": 16,
               "num_hidden_layers": 24, "type_vocab_size": 1, "vocab_size": 250002}
BERT = {"hidden_size": 768, "intermediate_size": 3072, "max_position_embeddings": 512, "model_type": "bert",
        "num_attention_heads": 12, "num_hidden_layers": 12, "type_vocab_size": 2, "vocab_size": 30522}


def ask(server, path, **params):
    return server.answer(path, **params).json


def sizing(server, model, **params):
    return ask(server, "/v1/inference-sizing", **{"gpu": "l4", "model": model, "requests_per_minute": 60000, "input_tokens": 512} | params)


@pytest.mark.parametrize("config, model", [(XLM_ROBERTA, "bge-m3"), (BERT, "e5-base-v2")])
def test_a_posted_config_is_the_catalogues_encoder(server, config, model):
    """567,754,752 weights of BAAI/bge-m3 and 109,482,240 of BERT base, pooler included."""
    reply = server.request("POST", "/v1/models", json.dumps(config).encode(), {"Content-Type": "application/json"})
    assert reply.status == 200, reply.text
    known = ask(server, f"/v1/models/{model}")
    for name in ("parameters", "encoder", "reads_only", "layer_count", "max_position_tokens", "kv_cache_bytes_per_token"):
        assert reply.json[name] == known[name], name


@pytest.mark.parametrize("model", ["bge-m3", "bge-reranker-v2-m3", "multilingual-e5-large", "e5-base-v2", "modernbert-base",
                                   "modernbert-large", "qwen3-embedding-0.6b", "qwen3-reranker-4b"])
def test_nothing_is_written_without_being_told(server, model):
    answer = sizing(server, model)
    assert answer["inputs"]["output_tokens"]["value"] == 0
    assert answer["time_per_output_token_seconds"] is None and answer["cost_per_million_input_tokens"] > 0
    assert answer["requests_per_minute_capacity"] >= 60000


def test_the_time_lines_are_those_of_reading(server):
    answer = sizing(server, "bge-m3", explain=1)
    lines = {row["key"]: row["value"] for row in answer["line_items"] if row["group"] == "time"}
    assert sum(lines.values()) == pytest.approx(answer["prefill_seconds"], rel=1e-4)
    assert all(key.startswith("prefill_") for key in lines)
    told = {row["key"]: row["value"] for row in answer["explanations"]}
    assert {key: told[key] for key in lines} == pytest.approx(lines, rel=1e-4)
    assert answer["reason"].count("can read") == 1
    details = {row["code"]: row["detail"] for row in answer["warnings"]}
    assert "tokens_per_second_per_user_min" not in details["no_latency_limit"] and "uncalibrated_reader" in details


def test_an_encoder_caches_nothing_and_looks_both_ways(server):
    """Keys and values exist in one layer at a time: 2 x 1,024 x 2 bytes a token instead of 24 times that."""
    answer = sizing(server, "bge-m3", input_tokens=8000, explain=1)
    assert answer["kv_cache_bytes_per_token"] == 4096
    told = {row["key"]: row for row in answer["explanations"]}
    assert told["prefill_attention"]["formula"].startswith("heads x (key_width + value_width) x (2 x full_layers")
    assert told["kv_cache_bytes_per_token"]["value"] == 4096
    e_attn = ask(server, "/v1/assumptions", key="e_attn")["rows"][0]["default"]
    peak = ask(server, "/v1/gpus/l4")["peak_bf16_dense_tflops"] * 1e12
    # All 8,000 x 8,000 pairs of 24 layers, 16 heads of 64: two products of two FLOP.
    assert told["prefill_attention"]["value"] == pytest.approx(4 * 24 * 16 * 64 * 8000 ** 2 / (e_attn * peak), rel=1e-3)


@pytest.mark.parametrize("params, culprit", [(dict(output_tokens=100), "output_tokens"), (dict(prefix_cache_ratio=0.5), "prefix_cache_ratio")])
def test_what_an_encoder_cannot_do_is_refused(server, params, culprit):
    reply = server.get("/v1/inference-sizing", gpu="l4", model="bge-m3", **params)
    assert reply.status == 400 and [row["parameter"] for row in reply.json["errors"]] == [culprit]


def test_a_decoder_of_embeddings_may_share_prompts(server):
    """A reranker's instruction and question are the same for each document."""
    plain, shared = (sizing(server, "qwen3-reranker-4b", requests_per_minute=6000, prefix_cache_ratio=r) for r in (0, 0.6))
    assert shared["gpu_count"] < plain["gpu_count"]


def test_options_and_recommendation_write_nothing_either(server):
    options = ask(server, "/v1/inference-sizing/options", model="bge-reranker-v2-m3", requests_per_minute=300000, input_tokens=400)
    assert options["inputs"]["output_tokens"]["value"] == 0 and options["options"]
    advice = ask(server, "/v1/recommendation", model="bge-reranker-v2-m3", requests_per_minute=300000, input_tokens=400)
    assert advice["recommended_gpu"] and advice["inputs"]["output_tokens"]["value"] == 0


def test_an_encoder_trains_embeddings(server):
    answer = ask(server, "/v1/training-plan", gpu="a100-sxm4-80gb", model="bge-m3", gpu_count=1, tokens=1e8, global_batch_sequences=256)
    given = answer["inputs"]["sequence_tokens"]
    assert (given["value"], given["reference"]) == (512, "/v1/assumptions?key=sequence_tokens_default")
    assert answer["inputs"]["objective"]["value"] == "embedding" and answer["inputs"]["method"]["value"] == "full"
    assert answer["fits"] and answer["days"] > 0
    reply = server.get("/v1/training-plan", gpu="a100-sxm4-80gb", model="bge-m3", gpu_count=1, objective="dpo")
    assert reply.status == 400 and [row["parameter"] for row in reply.json["errors"]] == ["objective"]

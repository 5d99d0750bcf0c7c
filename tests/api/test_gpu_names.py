"""Names of GPUs as people write them: in any case and with any separators."""
import json
import urllib.parse

import pytest

QUESTIONS = [
    ("/v1/training-plan", {"model": "llama-3.1-8b", "gpu_count": 64, "tokens": 1e9}),
    ("/v1/training-plan/options", {"model": "llama-3.1-8b", "tokens": 1e9}),
    ("/v1/inference-sizing", {"model": "llama-3.1-8b", "requests_per_minute": 10}),
    ("/v1/inference-sizing/options", {"model": "llama-3.1-8b", "requests_per_minute": 10}),
    ("/v1/break-even", {"gpu_count": 8, "utilization": 0.7}),
    ("/v1/recommendation", {"workload": "serve", "model": "llama-3.1-8b", "requests_per_minute": 10}),
    ("/v1/offers", {}), ("/v1/price-summary", {}), ("/v1/price-summary/history", {}), ("/v1/measurements", {}),
]


@pytest.mark.parametrize("path, question", QUESTIONS, ids=[path for path, _ in QUESTIONS])
@pytest.mark.parametrize("typed", ["NVIDIA H100 SXM5 80GB", "H100_SXM5_80GB", "H100-SXM5-80GB"])
def test_a_name_is_answered_as_the_slug(server, path, question, typed):
    asked = server.get(path, gpu=typed, **question)
    known = server.get(path, gpu="h100-sxm5-80gb", **question)
    assert asked.status == known.status == 200, asked.text
    asked, known = (json.dumps({name: value for name, value in reply.json.items() if name != "links"})
                    .replace(urllib.parse.quote(typed, safe=""), "h100-sxm5-80gb")
                    for reply in (asked, known))
    assert asked == known


def test_each_of_several_names(server):
    path, question = QUESTIONS[3]
    asked = server.get(path, gpu="B200_SXM,RTX 4090,l40s", **question)
    known = server.get(path, gpu="b200-sxm,rtx-4090,l40s", **question)
    assert asked.status == 200 and asked.json["options"] == known.json["options"]


def test_a_path(server):
    assert server.get("/v1/gpus/H100_SXM5-80GB").json["gpu"] == "h100-sxm5-80gb"
    assert server.get("/v1/gpus/h100").status == 404


@pytest.mark.parametrize("typed, meant", [("NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"), ("NVIDIA H100 PCIe", "h100-pcie-80gb"),
                                          ("NVIDIA A100-PCIE-40GB", "a100-pcie-40gb")])
def test_names_that_the_driver_prints(server, typed, meant):
    """The kind of memory tells the H100 of a board from that of a card."""
    reply = server.get("/v1/break-even", gpu=typed, utilization=0.7)
    assert reply.status == 200 or f"did you mean {meant}?" in reply.json["errors"][0]["detail"], reply.text
    assert reply.status == 400 or reply.json["inputs"]["gpu"]["value"] == meant

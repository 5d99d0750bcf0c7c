"""Names of GPUs as people write them: in any case, with any separators, or a part that fits one GPU only."""
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
@pytest.mark.parametrize("typed, part", [("NVIDIA H100 SXM5 80GB", False), ("H100_SXM5_80GB", False),
                                         ("h100-sxm", True), ("NVIDIA H100 SXM5", True)])
def test_a_name_is_answered_as_the_slug(server, path, question, typed, part):
    asked = server.get(path, gpu=typed, **question)
    known = server.get(path, gpu="h100-sxm5-80gb", **question)
    assert asked.status == known.status == 200, asked.text
    said = [warning for warning in asked.json["warnings"] if warning["code"] == "gpu_meant"]
    assert bool(said) == part
    asked, known = (json.dumps({name: value for name, value in reply.json.items()
                                if name not in ("links", "warnings")})
                    .replace(urllib.parse.quote(typed, safe=""), "h100-sxm5-80gb")
                    for reply in (asked, known))
    assert asked == known


def test_each_of_several_names(server):
    path, question = QUESTIONS[3]
    asked = server.get(path, gpu="b200,RTX 4090,l40s", **question)
    known = server.get(path, gpu="b200-sxm,rtx-4090,l40s", **question)
    assert asked.status == 200 and asked.json["options"] == known.json["options"]
    assert [warning["detail"].split()[0] for warning in asked.json["warnings"]
            if warning["code"] == "gpu_meant"] == ["b200"]


def test_a_path(server):
    assert server.get("/v1/gpus/H100-SXM").json["gpu"] == "h100-sxm5-80gb"
    assert server.get("/v1/gpus/h100").status == 404

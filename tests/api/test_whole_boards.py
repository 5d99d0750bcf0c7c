"""GPUs are bought in whole boards: sizing, break-even and recommendation say the same number."""

import pytest

SERVICE = dict(model="llama-3.1-70b", requests_per_minute=60, input_tokens=1000, output_tokens=300,
               time_to_first_token_seconds_max=2, tokens_per_second_per_user_min=10)
BOARDS = [("h100-sxm5-80gb", 8), ("mi300x", 8), ("gb200-nvl72", 4), ("l40s", 1)]


@pytest.mark.parametrize("gpu, board", BOARDS)
def test_a_service_is_bought_in_whole_boards(server, gpu, board):
    sized = server.get("/v1/inference-sizing", gpu=gpu, purchase_option="owned", **SERVICE).json
    weighed = server.get("/v1/break-even", workload="serve", gpu=gpu, rent_price_per_gpu_hour=2,
                         **SERVICE).json
    assert sized["gpu_count"] == weighed["gpu_count"]
    whole = -(-sized["gpu_count"] // board) * board
    assert sized["bought_gpu_count"] == sized["rented_gpu_count"] == whole
    assert weighed["bought_gpu_count"] == whole
    assert weighed["node_count"] * weighed["inputs"]["gpus_per_node"]["value"] == whole


def test_idle_gpus_of_a_board_are_paid_for(server):
    few = server.get("/v1/break-even", workload="serve", gpu="h100-sxm5-80gb", **SERVICE).json
    board = server.get("/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.1).json
    assert few["gpu_count"] < 8
    assert few["hardware_cost"] == board["hardware_cost"]
    if few["verdict"] == "buy":
        assert "in whole servers, 8 GPUs" in few["sentence"]


def test_a_recommended_purchase_is_whole_boards(server):
    answer = server.get("/v1/recommendation", workload="serve", budget=9e6, gpu="h100-sxm5-80gb",
                        **SERVICE | dict(requests_per_minute=6000)).json
    bought = [row for row in answer["options"] if row["acquisition"] == "buy"]
    assert bought
    for row in bought:
        assert row["rented_gpu_count"] % 8 == 0 and row["rented_gpu_count"] >= row["gpu_count"]
        weighed = server.get(row["break_even"]).json
        assert weighed["bought_gpu_count"] == row["rented_gpu_count"]
        assert weighed["buy_total_cost"] == row["total_cost"]


@pytest.mark.parametrize("gpu, board", BOARDS)
@pytest.mark.parametrize("count", [1, 3, 5, 8, 12])
def test_a_number_of_gpus_is_bought_in_whole_boards(server, gpu, board, count):
    asked = dict(gpu=gpu, gpu_count=count, utilization=0.7, rent_price_per_gpu_hour=2, server_price=1e5)
    answer = server.get("/v1/break-even", **asked).json
    bought = answer["bought_gpu_count"]
    assert bought >= count and bought % board == 0
    assert answer["inputs"]["gpus_per_node"]["value"] % board == 0
    idle = board > 1 and bought > count
    assert idle == ("whole_boards" in {warning["code"] for warning in answer["warnings"]})


def test_a_share_of_a_board_is_warned_of(server):
    def codes(**asked):
        answer = server.get("/v1/break-even", utilization=0.5, **asked).json
        return [warning["code"] for warning in answer["warnings"]]

    assert "whole_boards" in codes(gpu="h100-sxm5-80gb", gpu_count=4)
    assert "whole_boards" in codes(gpu="h100-sxm5-80gb", gpu_count=4, gpus_per_node=4)
    assert "whole_boards" not in codes(gpu="h100-sxm5-80gb", gpu_count=16)
    assert "whole_boards" not in codes(gpu="rtx-4090", gpu_count=4)

"""Measured runs: the rows of a CSV file, their weights, and what groups they fall into."""

import collections
import csv
import functools
import math
import pathlib

HERE = pathlib.Path("tests/accuracy")  # every command runs from the root of the tree
SEED = pathlib.Path("sql/seed")  # of table measurement: the rows of the catalogue
TRAINING = "measurement_training.csv"

DEGREES = ("tensor_parallel", "pipeline_parallel", "context_parallel")  # of a replica of a dense model
SIZES = ((1e9, "below 1B"), (1e10, "1B to 10B"), (4e10, "10B to 40B"), (1.2e11, "40B to 120B"),
         (math.inf, "over 120B"))


def path(name):
    """Published runs are seeded; what a caller does not ask about is here."""
    return (SEED if str(name).startswith("measurement_") else HERE) / name


def load(name=TRAINING):
    with open(name if isinstance(name, pathlib.Path) else path(name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def measured(rows):
    """Seconds of a training step, or of whatever the kind of an inference run says."""
    return [float(row["measured"]) for row in rows]


def weights(rows):
    """A row weighs 1 / (rows of its weight group) / sqrt(groups of its source)."""
    size = collections.Counter(row["weight_group"] for row in rows)
    groups = collections.defaultdict(set)
    for row in rows:
        groups[row["source_group"]].add(row["weight_group"])
    return [1 / size[row["weight_group"]] / math.sqrt(len(groups[row["source_group"]]))
            for row in rows]


def source(row):
    return row["source_group"]


def family(row):
    """Sources of one origin: all releases of a software, all submissions of one company."""
    return row["family"]


def fold(row):
    """The fold: rows that are left out together, a family or a mixture in all releases that measured it."""
    return row["fold"]


def hidden(row, group, name):
    """Whether a fit that is to predict the group `name` may not see the row: with a family its
    mixtures are hidden too."""
    return group(row) == name or family(row) == name


def decade(row):
    """The generation of the GPU."""
    slug = row["gpu"]
    return next(name for start, name in (("v100", "Volta"), ("a100", "Ampere"), ("rtx", "consumer"),
                                         ("h", "Hopper"), ("", "Blackwell"))
                if slug.startswith(start))


def year(row):
    return row["year"]


def gpu(row):
    """The part number; a part with a power cap counts as another part."""
    return f"{row['gpu']}, {row['power_limit_w']} W" if row["power_limit_w"] else row["gpu"]


def stack(row):
    return row["stack"] or "unspecified"


def model_size(row):
    return next(name for below, name in SIZES if parameters(row) < below)


def parameters(row):
    """Weights by the row's own shape with all experts counted, right to a few percent."""
    number = lambda key: float(row[key] or 0)
    attention = number("hidden") * number("head_dim") * 2 * (number("heads") + number("kv_heads"))
    ffn = number("hidden") * number("ffn_width") * (3 if number("gated") else 2)
    head = number("vocab") * number("hidden") * (1 if number("tied") else 2)
    return number("layers") * (attention + ffn * max(1, number("experts"))) + head


def on_card(row):
    """Whether its GPU is a card with GDDR, for which step_interval_factor of scope card is the least."""
    return row["gpu"].startswith(("rtx", "l4", "l20", "t4", "a40")) or row["gpu"] in ("a10", "a10g")


def on_tpu(row):
    return row["gpu"].startswith("tpu")


def on_nvidia(row):
    return not on_tpu(row) and not row["gpu"].startswith(("gaudi", "mi", "trainium"))


def searched(row):
    """What of division and recomputation the search chooses, as a scope of step_interval_factor, or None: neither is
    stated, nor usual for the software (training_usual_zero_stage(), training_usual_recompute())."""
    adapts, given = row["method"] in ("lora", "qlora"), row["stack"] or "unspecified"
    software = "fsdp" if adapts and given == "unspecified" else given
    torch = software in ("fsdp", "deepspeed")
    stage = (row["zero_stage"] and not given.startswith("megatron")) or given in ("fsdp", "jax")
    tunes = row["method"] not in ("", "pretrain") and (torch or software == "unspecified")
    alone = row["method"] == "qlora" or tunes or row["gpu_count"] == "1"
    division = not (alone or stage or row["tensor_parallel"] or row["pipeline_parallel"])
    recompute = not row["recompute"] and not tunes
    if division:
        return "searched" if recompute else "searched_division"
    return "searched_recompute" if recompute else None


def wider_scopes(row):
    """The scopes of step_interval_factor that an interval is never narrower than, with that of its class."""
    open_settings = {searched(row)} - {None}
    if on_tpu(row):
        return {"tpu"} | open_settings
    scopes = ({"card"} if on_card(row) else set()) | (set() if on_nvidia(row) else {"other_vendor"}) | open_settings
    if interval_class(row) == "moe" and not stack(row).startswith("megatron"):
        scopes = scopes | {"mixture"}
    if stack(row) == "unspecified":
        return scopes | {"unstated"}
    pretrains = row["method"] in ("", "pretrain")
    same = interval_class(row) == "adapter" or (pretrains and stack(row) == "fsdp" and not is_divided(row))
    return scopes if same else scopes | {"stated"}


@functools.cache
def mixtures():
    """Names of the catalogue's models with experts."""
    return {row["slug"] for row in load(SEED / "model.csv") if float(row["n_experts"] or 0) > 0}


def is_divided(row):
    return any(int(row[degree] or 1) > 1 for degree in DEGREES)


def interval_class(row):
    """The scope of the assumption step_interval_factor that the estimate uses for such a run."""
    if row["method"] in ("lora", "qlora"):
        return "adapter"
    if row.get("experts") or row.get("model") in mixtures():
        return "moe"
    return "divided" if is_divided(row) else "dense"

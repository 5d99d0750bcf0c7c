"""README.md lists every source that a table holds, so that nobody takes one for unseen."""

import csv
import pathlib
import re

HERE = pathlib.Path(__file__).parent
# A repository, with or without its host in front; a paper of arXiv; else the host of an address.
PATTERNS = (r"^(?:https://|github:)?(?:github\.com/|huggingface\.co/)?([A-Za-z0-9-]+/[\w.-]*\w)", r"arxiv\.org/abs/([\d.]+\d)",
            r"^(?:https://)?((?:[a-z0-9-]+\.)+[a-z]{2,})")


def name(source):
    """What README.md has to name; None for a source that is described in words."""
    host = re.match(PATTERNS[2], source)
    if host and host[1] not in ("github.com", "huggingface.co"):
        paper = re.search(PATTERNS[1], source)
        return paper[1] if paper else host[1]
    repository = re.match(PATTERNS[0], source)
    return repository[1] if repository else None


def test_names():
    assert name("github:NVIDIA/NeMo:docs/a.md@0123") == "NVIDIA/NeMo"
    assert name("mlcommons/inference_results_v5.1 summary_results.json") == "mlcommons/inference_results_v5.1"
    assert name("https://github.com/huggingface/trl/pull/6845") == "huggingface/trl"
    assert name("https://arxiv.org/abs/2104.04473") == "2104.04473"
    assert name("docs.vultr.com/inference-cookbook") == "docs.vultr.com"
    assert name("BLOOM paper, arXiv 2211.05100") is None


def test_every_source_is_listed():
    text = (HERE / "README.md").read_text(encoding="utf-8")
    files = [*HERE.glob("*.csv"), *(HERE.parents[1] / "sql/seed").glob("measurement_*.csv")]
    missing = set()
    for path in files:
        with path.open(encoding="utf-8", newline="") as lines:
            missing |= {(found, path.name) for row in csv.DictReader(lines) if (found := name(row.get("source") or "")) and found not in text}
    assert not missing, f"read, but not in README.md: {sorted(missing)}"

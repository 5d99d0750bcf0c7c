"""The seed: all of the facts, each with source and date, and nothing that was refuted in force."""

import pytest


@pytest.mark.parametrize("table, count", [
    ("gpu", 70), ("model", 144), ("offer", 1368), ("hardware", 58), ("exchange_rate", 31)])
def test_counts(template, table, count):
    assert template.sql(f"select count(*) from {table}") == str(count)


def test_every_figure_has_source_and_date(template):
    for table in ("gpu_figure", "model", "assumption"):
        assert template.sql(f"select count(*) from {table} where coalesce(source, '') = '' "
                            "or source_date is null or source_date > current_date") == "0"
    for table in ("offer", "hardware"):
        date = "valid_from" if table == "offer" else "observed"
        assert template.sql(f"select count(*) from {table} where source = '' "
                            f"or ({date} is null) <> (observed_text = '')") == "0"


def test_every_gpu_can_be_computed_with(template):
    for figure in ("memory_capacity", "memory_bandwidth"):
        assert template.rows("select slug from gpu where not exists (select from gpu_figure f "
                             f"where f.gpu = slug and figure = '{figure}' "
                             "and trust <> 'disputed')") == []
    announced = ["mi455x", "vr200-nvl72"]  # estimates refuse these: no dense 16-bit rate of theirs is known
    assert template.rows("select slug from gpu where not exists (select from gpu_figure f "
                         "where f.gpu = slug and figure in ('bf16_tflops', 'fp16_tflops') "
                         "and sparsity = 'dense' and trust <> 'disputed') order by slug") == [[slug] for slug in announced]


@pytest.mark.parametrize("gpu, figure, sparsity, accumulate, value", [
    ("h100-sxm5-80gb", "bf16_tflops", "dense", "fp32", "989.4"),
    ("h100-sxm5-80gb", "fp8_tflops", "sparse", "fp32", "3958"),
    ("h100-sxm5-80gb", "bf16_tflops", "sparse", "fp32", "1979"),
    ("a100-sxm4-80gb", "link_bidirectional", "", "", "600"),
    ("rtx-4090", "fp16_tflops", "dense", "fp32", "165.2"),
    ("rtx-4090", "fp16_tflops", "dense", "fp16", "330.3"),
    ("rtx-4090", "fp8_tflops", "sparse", "fp16", "1321"),
    ("b200-sxm", "memory_bandwidth", "", "", "7700"),
    ("b300-sxm", "int8_tops", "dense", "", "153.5"),
    ("l40s", "bf16_tflops", "dense", "fp32", "362.05"),
    ("tpu-v4", "bf16_tflops", "dense", "fp32", "275"),
    ("t4", "ecc_capacity_overhead", "", "", "0.0625"),
    ("v100-pcie-16gb", "fp16_tflops", "dense", "fp32", "112"),
    ("h100-pcie-80gb", "memory_bandwidth", "", "", "2000"),
])
def test_conflicts_are_resolved(template, gpu, figure, sparsity, accumulate, value):
    assert template.sql(
        f"select value from gpu_figure where gpu = '{gpu}' and figure = '{figure}' "
        f"and sparsity = '{sparsity}' and accumulate = '{accumulate}' "
        "and trust <> 'disputed'") == value


def test_a_sparse_rate_is_more_than_the_dense_one(template):
    assert template.rows("""
        select gpu, figure from gpu_figure s join gpu_figure d using (gpu, figure, accumulate)
        where s.sparsity = 'sparse' and d.sparsity = 'dense' and d.trust <> 'disputed'
            and s.value / d.value not between 1.2 and 4.1""") == []


def test_refuted_prices_are_not_used(template):
    assert template.rows("select instance, usable from offer where instance like 'a3-highgpu-8g (%' "
                         "order by 1") == [["a3-highgpu-8g (high)", "f"],
                                           ["a3-highgpu-8g (low)", "f"]]
    assert template.sql("select count(*) from offer where provider = 'planner-estimate' "
                        "and usable") == "0"


def test_old_list_prices_ended(template):
    """On a day in force: the list after the cut, not the one before it."""
    day = "'2026-11-20'"
    assert template.rows(
        "select distinct price_per_hour from offer_observation where provider = 'aws' and usable "
        "and instance in ('p5.48xlarge') and region in ('', 'us-east-1') "
        f"and purchase_option = 'on_demand' and coalesce(valid_from <= {day}, true) "
        f"and coalesce(holds_until > {day}, true)") == [["55.04"]]
    assert template.rows(
        "select price_per_hour, holds_until from offer_observation where provider = 'aws' "
        "and instance = 'p4d.24xlarge' and region = 'us-east-1' "
        "and purchase_option = 'on_demand' order by valid_from") == [
            ["32.7726", "2026-08-01"], ["21.9576", ""]]


@pytest.mark.parametrize("text, day, stale", [
    ("2026-08/09", "2026-08-01", "f"), ("2026-08/09 (v9)", "2026-08-01", "f"),
    ("repo 2026-08 (file last touched 2024-12-23)", "2024-12-23", "f"), ("2026 (v8)", "2026-01-01", "f"),
    ("2025-2026 (v8)", "2026-01-01", "f"), ("2026-03", "2026-03-01", "f"),
    ("2024-11-03", "2024-11-03", "f"), ("2023-2025", "2023-01-01", "t"),
    ("2023-2025 (file last touched 2025-03-07)", "2025-03-07", "f")])
def test_printed_dates(template, text, day, stale):
    assert template.rows("select distinct valid_from, flagged_stale from offer "
                         f"where observed_text = '{text}'") == [[day, stale]]


def test_aliases_name_one_model(template):
    assert template.rows("""
        with names as (select slug as name from model union all
            select unnest(string_to_array(aliases, ',')) from model)
        select name from names group by name having count(*) > 1""") == []


def test_seeding_again_keeps_what_was_changed_here(database):
    database.sql("update offer set price_per_hour = 40, price_per_gpu_hour = 5 "
                 "where instance = 'p5.48xlarge' and region = 'us-east-1' "
                 "and purchase_option = 'on_demand' and valid_until is null",
                 "delete from hardware where hardware_id = 'h100-sxm5-80gb/card/s2'",
                 "insert into provider values ('acme', 'Acme', 'cloud')")
    before, version = database.contents(), database.sql("select catalog_version()")
    assert database.migrate().returncode == 0
    assert database.contents() == before
    assert database.sql("select catalog_version()") == version


def test_a_newer_seed_changes_adds_and_removes(database, folder):
    seed = folder / "seed" / "hardware.csv"
    lines = seed.read_text().splitlines()
    changed = next(line for line in lines if line.startswith("l40s/card/s2,"))
    removed = next(line for line in lines if line.startswith("t4/card/"))
    edited = next(line for line in lines if line.startswith("rtx-3090/card/s2,"))
    new = [line for line in lines if line not in (changed, removed, edited)]
    new += [changed.replace(",9000,", ",9500,"), edited.replace(",700,", ",800,"),
            changed.replace("l40s/card/s2", "l40s/card/new").replace(",9000,", ",9999,")]
    seed.write_text("\n".join(new) + "\n")
    database.sql("update hardware set price = 650 where hardware_id = 'rtx-3090/card/s2'")

    done = database.migrate(folder)
    assert done.returncode == 0, done.stderr
    assert database.rows(
        "select hardware_id, price from hardware where hardware_id in "
        "('l40s/card/s2', 'l40s/card/new', 'rtx-3090/card/s2') or hardware_id like 't4/card/%' "
        "order by 1") == [["l40s/card/new", "9999"], ["l40s/card/s2", "9500"],
                          ["rtx-3090/card/s2", "650"]]
    assert database.sql("select count(*) from hardware") == str(len(new) - 1)  # without the header

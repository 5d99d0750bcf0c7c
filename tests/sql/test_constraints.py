"""The schema refuses nonsense, each kind by a constraint whose name says what is wrong."""

import subprocess

import pytest

OFFER = {"provider": "'aws'", "instance": "'test.large'", "region": "'here'",
         "gpu": "'h100-sxm5-80gb'", "gpu_count": "8", "purchase_option": "'on_demand'",
         "price_per_hour": "16", "price_per_gpu_hour": "2", "valid_from": "'2026-01-01'",
         "source": "'a test'"}
FIGURE = {"gpu": "'t4'", "figure": "'bf16_tflops'", "sparsity": "'dense'",
          "accumulate": "'fp32'", "value": "1", "unit": "'TFLOP/s'", "source": "'a test'",
          "source_date": "'2026-01-01'", "date_basis": "'printed'", "trust": "'stored'"}
HARDWARE = {"hardware_id": "'x'", "kind": "'card'", "seller": "'x'", "gpu": "'t4'",
            "gpu_count": "1", "price": "1000", "source": "'a test'"}
ASSUMPTION = {"key": "'x'", "group_name": "'general'", "unit": "'ratio'", "low": "0.1",
              "value": "0.2", "high": "0.3", "applies_to": "'all'", "source": "'a test'",
              "source_date": "'2026-01-01'", "date_basis": "'printed'"}
RATE = {"currency": "'EUR'", "observed": "'2026-01-01'", "per_usd": "0.9", "source": "'a test'"}
GPU = {"slug": "'x1'", "name": "'X'", "vendor": "'V'", "architecture": "'A'", "year": "2026",
       "form_factor": "'PCIe'", "memory_type": "'HBM3'"}


def insert(table, row, **changes):
    row = {**row, **changes}
    return f"insert into {table} ({', '.join(row)}) values ({', '.join(row.values())})"


@pytest.mark.parametrize("table, row", [
    ("offer", OFFER), ("gpu_figure", FIGURE), ("hardware", HARDWARE), ("assumption", ASSUMPTION),
    ("exchange_rate", RATE), ("gpu", GPU)])
def test_good_rows_are_taken(template, table, row):
    template.sql("begin", insert(table, row), "rollback")


@pytest.mark.parametrize("table, row, changes, constraint", [
    ("offer", OFFER, {"price_per_hour": "-16", "price_per_gpu_hour": "-2"}, "offer_price_positive"),
    ("offer", OFFER, {"price_per_hour": "0", "price_per_gpu_hour": "0"}, "offer_price_positive"),
    ("offer", OFFER, {"price_per_hour": "'NaN'", "price_per_gpu_hour": "'NaN'"},
     "offer_price_finite"),
    ("offer", OFFER, {"price_per_hour": "'Infinity'", "price_per_gpu_hour": "'Infinity'"},
     "offer_price_"),
    ("offer", OFFER, {"price_per_gpu_hour": "16"}, "offer_price_consistent"),
    ("offer", OFFER, {"gpu": "'h100'"}, "offer_gpu_known"),
    ("offer", OFFER, {"provider": "'nobody'"}, "offer_provider_known"),
    ("offer", OFFER, {"gpu_count": "0"}, "offer_count_sane"),
    ("offer", OFFER, {"purchase_option": "'leased'"}, "offer_option_known"),
    ("offer", OFFER, {"currency": "'usd'"}, "offer_currency_form"),
    ("offer", OFFER, {"valid_until": "'2026-01-01'"}, "offer_validity_forward"),
    ("offer", OFFER, {"source": "''"}, "offer_source_given"),
    ("gpu_figure", FIGURE, {"value": "-1"}, "gpu_figure_value_positive"),
    ("gpu_figure", FIGURE, {"value": "0"}, "gpu_figure_value_positive"),
    ("gpu_figure", FIGURE, {"value": "'NaN'"}, "gpu_figure_value_finite"),
    ("gpu_figure", FIGURE, {"gpu": "'t5'"}, "gpu_figure_gpu_known"),
    ("gpu_figure", FIGURE, {"figure": "'speed'"}, "gpu_figure_name_known"),
    ("gpu_figure", FIGURE, {"unit": "'TOP/s'", "accumulate": "''"}, "gpu_figure_unit_fits"),
    ("gpu_figure", FIGURE, {"figure": "'tdp'", "unit": "'GB/s'", "sparsity": "''",
                            "accumulate": "''"}, "gpu_figure_unit_fits"),
    ("gpu_figure", FIGURE, {"sparsity": "''"}, "gpu_figure_sparsity_fits"),
    ("gpu_figure", FIGURE, {"accumulate": "'int32'"}, "gpu_figure_accumulate_fits"),
    ("gpu_figure", FIGURE, {"figure": "'ecc_capacity_overhead'", "unit": "'ratio'",
                            "sparsity": "''", "accumulate": "''", "value": "6.25"},
     "gpu_figure_ratio_range"),
    ("gpu_figure", FIGURE, {"figure": "'fp16_tflops'"}, "gpu_figure_one_counts"),
    ("gpu_figure", FIGURE, {"source": "''"}, "gpu_figure_source_given"),
    ("gpu_figure", FIGURE, {"source_date": "null"}, "source_date"),
    ("hardware", HARDWARE, {"price": "0"}, "hardware_price_positive"),
    ("hardware", HARDWARE, {"price": "'Infinity'"}, "hardware_price_finite"),
    ("hardware", HARDWARE, {"gpu_count": "8"}, "hardware_count_sane"),
    ("hardware", HARDWARE, {"gpu": "'none'"}, "hardware_gpu_known"),
    ("assumption", ASSUMPTION, {"low": "0.25"}, "assumption_ordered"),
    ("assumption", ASSUMPTION, {"high": "0.15"}, "assumption_ordered"),
    ("assumption", ASSUMPTION, {"value": "null", "low": "1", "high": "0.5"}, "assumption_ordered"),
    ("assumption", ASSUMPTION, {"low": "-0.1"}, "assumption_not_negative"),
    ("assumption", ASSUMPTION, {"high": "'NaN'"}, "assumption_finite"),
    ("assumption", ASSUMPTION, {"group_name": "'other'"}, "assumption_group_known"),
    ("exchange_rate", RATE, {"per_usd": "0"}, "exchange_rate_positive"),
    ("exchange_rate", RATE, {"per_usd": "'NaN'"}, "exchange_rate_positive"),
    ("exchange_rate", RATE, {"currency": "'USD'"}, "exchange_rate_currency_form"),
    ("gpu", GPU, {"slug": "'X 1'"}, "gpu_slug_form"),
    ("gpu", GPU, {"year": "26"}, "gpu_year_sane"),
])
def test_refuses(template, table, row, changes, constraint):
    assert constraint in template.refused(insert(table, row, **changes))


@pytest.mark.parametrize("change, constraint", [
    ("n_kv_heads = 7", "model_heads_divide"),
    ("n_layers = 79", "model_layers_add_up"),
    ("params_active = params_total + 1", "model_params_sane"),
    ("hidden = 0", "model_sizes_positive"),
    ("v_head_dim = -1", "model_sizes_not_negative"),
    ("n_experts = 8", "model_experts_consistent"),
    ("attention = 'MLA'", "model_mla_consistent"),
    ("attention = 'linear'", "model_attention_known"),
    ("intermediate = 0", "model_has_ffn"),
    ("n_full_layers = 0, n_sliding_layers = 80", "model_window_given"),
    ("aliases = 'a, b'", "model_aliases_form"),
])
def test_refuses_shapes_that_cannot_be(template, change, constraint):
    assert constraint in template.refused(
        f"update model set {change} where slug = 'llama-2-70b'")


def test_what_was_refuted_or_undated_has_no_place_in_time(database):
    database.sql(insert("offer", OFFER))
    database.sql(insert("offer", OFFER, usable="false", source="'refuted'"))
    database.sql(insert("offer", OFFER, valid_from="null"))
    assert "offer_observation_once" in database.refused(insert("offer", OFFER, valid_from="null"))


ACME = """insert into provider values ('acme', 'Acme', 'cloud');
    insert into feed_run (format, file, sha256) values ('offers', 'x', repeat('0', 64));
    insert into offer (provider, instance, gpu, gpu_count, purchase_option, price_per_hour, price_per_gpu_hour,
                       source, run_id, source_line)
    select 'acme', 'x', 't4', 1, 'spot', 1, 1, 'x', max(run_id), 1 from feed_run; """


@pytest.mark.parametrize("change, constraint", [
    ("insert into gpu (slug, name, vendor, architecture, year, form_factor, memory_type) "
     "values ('x1', 'X1', 'x', 'x', 2026, 'x', 'x'); update offer set gpu = 'x1' where provider = 'acme'; "
     "delete from gpu where slug = 'x1'", "offer_gpu_known"),
    ("delete from provider where slug = 'acme'", "offer_provider_known"),
    ("update provider set slug = 'acne' where slug = 'acme'", "offer_provider_known"),
    ("delete from feed_run", "offer_run_known"),
    ("update offer set run_id = run_id + 1 where provider = 'acme'", "offer_run_known"),
    ("update offer set provider = 'nobody' where provider = 'acme'", "offer_provider_known"),
    ("insert into offer (provider, instance, gpu, gpu_count, purchase_option, price_per_hour, price_per_gpu_hour, source) "
     "select provider, 'y', unnest(array[gpu, 't5']), 1, 'spot', 1, 1, 'x' from offer where provider = 'acme'",
     "offer_gpu_known"),
])
def test_what_prices_refer_to_stays(template, change, constraint):
    assert constraint in template.refused(ACME + change)


def test_what_nobody_refers_to_goes(database):
    database.sql(ACME + "update provider set name = 'Acme Inc' where slug = 'acme'; "
                 "delete from offer where provider = 'acme'; delete from provider where slug = 'acme'")


def test_a_price_under_way_keeps_its_provider(database):
    database.sql("insert into provider values ('acme', 'Acme', 'cloud')")
    with subprocess.Popen(["psql", "-XAtq"], env=database.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as writer:
        writer.stdin.write("begin; select record_offer('acme', 'x', '', 't4', 1, 'spot', 1, 'x');\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "acme/x//t4/1/spot\n"
        assert "lock timeout" in database.refused("set lock_timeout = 1; delete from provider where slug = 'acme'")
        writer.stdin.write("commit;\n")
        writer.stdin.close()
        assert writer.wait() == 0
    assert "offer_provider_known" in database.refused("delete from provider where slug = 'acme'")

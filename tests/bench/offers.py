#!/usr/bin/python3
"""offers.py N [days] - N made-up observations as `gpuplan import` takes them, on standard output.

Always the same ones: real GPUs and providers, machines that do not exist. The observations are of
N / days offers, each on `days` days a week apart up to 2026-11-01.
"""
import csv
import datetime
import pathlib
import random
import sys

SEED = pathlib.Path(__file__).resolve().parents[2] / "sql/seed"
OPTIONS = ("on_demand", "spot", "reserved_1yr", "reserved_3yr")
LAST_DAY = datetime.date(2026, 11, 1)
HEADER = ("provider", "instance", "region", "zone", "gpu", "gpu_count", "purchase_option",
          "price_per_hour", "offer_currency", "observed_date", "source_url")


def column(name, key):
    with open(SEED / f"{name}.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if key(row)]


def main():
    wanted = int(sys.argv[1])
    days = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    draw = random.Random(1)
    providers = [row["slug"] for row in column("provider", lambda row: row["kind"] == "cloud")]
    gpus = [row["slug"] for row in column("gpu", lambda row: True)]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(HEADER)
    written = number = 0
    while written < wanted:
        option = OPTIONS[number % len(OPTIONS)]
        count = draw.choice((1, 2, 4, 8))
        offer = (draw.choice(providers), f"made-up-{number // len(OPTIONS)}",
                 f"region-{draw.randrange(12)}", "abc"[number % 3] if option == "spot" else "",
                 draw.choice(gpus), count, option)
        price = round(draw.uniform(0.3, 12) * count, 4)
        for day in range(min(days, wanted - written)):
            price = round(price * draw.uniform(0.9, 1.1), 4)
            observed = LAST_DAY - datetime.timedelta(weeks=days - 1 - day)
            out.writerow((*offer, price, "USD", observed, "tests/bench/offers.py"))
            written += 1
        number += 1


if __name__ == "__main__":
    main()

"""Random legal questions: every path of /openapi.json, names of the catalogue, numbers over their
whole range with its edges. What a question needs to make sense is given first, so that most of them
are answered; everything else is left open or drawn."""
import json
import math
import urllib.parse

FORMATS = ("csv", "tsv", "xml", "txt", "html")
PICTURES = ("series", "sensitivity", "risk", "options", "gpus", "recommendation", "history")
# Where a page or a sheet is laid out, or the answer is written about: seldom, for most refuse it with
# others or hide what is to be checked.
SELDOM = {"fields", "header", "layout", "dialect", "explain", "download", "on_error", "nocache",
          "cursor", "field", "sort", "lines", "side", "model_version"}
LOADS = ("requests_per_minute", "tokens_per_day", "concurrent_requests")
OPTIONS = ("on_demand", "spot", "reserved_1yr", "reserved_3yr")


class Catalogue:
    """Names to ask for, as the daemon lists them."""

    def __init__(self, get):
        def column(path, name, limit=1000):
            reply = json.loads(get(f"{path}?limit={limit}"))
            return sorted({row[name] for row in reply["rows"] if row.get(name)})
        self.gpus = column("/v1/gpus", "gpu")
        self.models = column("/v1/models", "model")
        self.providers = column("/v1/offers", "provider", 10000)
        self.regions = column("/v1/offers", "region", 10000)[:60] or [""]
        self.keys = column("/v1/assumptions", "key")
        self.currencies = ["USD", *column("/v1/exchange-rates", "currency")]


def rounded(number, r):
    """As a person would type it."""
    return float(f"{number:.{r.choice((1, 2, 3, 6, 17))}g}")


class Questions:
    def __init__(self, openapi, catalogue, r):
        self.catalogue, self.r = catalogue, r
        self.whole = set()  # inputs that were refused because they are not whole
        self.paths = {}
        for path, methods in openapi["paths"].items():
            if "get" in methods:
                self.paths[path] = {p["name"]: p for p in methods["get"]["parameters"]}
        # Every other POST sends the inputs of its GET; these send a thing to read or to store.
        self.posted = {path for path, methods in openapi["paths"].items()
                       if "post" in methods and path not in ("/v1/quotes", "/v1/models", "/v1/measurements", "/v1/measured-run")}

    # --- values

    def chance(self, share):
        return self.r.random() < share

    def number(self, name, schema):
        """Half of them near what is usual, the rest anywhere; edges now and then."""
        r = self.r
        low, high = schema.get("minimum", 0), schema.get("maximum", 1e12)
        usual = schema.get("default")
        whole = schema["type"] == "integer" or name in self.whole
        roll = r.random()
        if roll < 0.15:
            value = r.choice([low, high, max(low, 0), min(1, high)])
        elif usual not in (None, 0) and isinstance(usual, (int, float)) and roll < 0.6:
            value = usual * math.exp(r.uniform(-1, 1))
        else:
            least = max(low, high * 1e-9, 1e-9) if low <= 0 else low
            value = least * (max(high, least) / least) ** r.random()
        value = min(max(value, low), high)
        if whole:
            return str(int(min(max(round(value), math.ceil(low)), high)))
        value = rounded(value, r)
        return repr(min(max(value, low), high))

    def several(self, names, most=4):
        return ",".join(self.r.sample(names, min(len(names), self.r.randint(1, most))))

    def word(self, name):
        c, r = self.catalogue, self.r
        if name == "gpu":
            return r.choice(c.gpus)
        if name in ("model", "draft_model"):
            return r.choice(c.models)
        if name == "provider":
            return self.several(c.providers, 2)
        return {"region": lambda: r.choice(c.regions), "currency": lambda: r.choice(c.currencies),
                "key": lambda: r.choice(c.keys), "reference_gpu": lambda: r.choice(c.gpus)}.get(
                    name, lambda: None)()

    def value(self, path, name, parameter):
        schema = parameter["schema"]
        if "enum" in schema:
            return str(self.r.choice(schema["enum"]))
        kind = schema["type"][0] if isinstance(schema["type"], list) else schema["type"]
        if kind == "boolean" or {schema.get("minimum"), schema.get("maximum")} == {0, 1} and \
                kind == "integer":
            return self.r.choice(["0", "1"])
        if kind in ("number", "integer"):
            return self.number(name, {**schema, "type": kind})
        if schema.get("format") == "date":
            year, month = self.r.randint(2024, 2026), self.r.randint(1, 10)
            return f"{year}-{month:02}-{self.r.randint(1, 28):02}"
        return self.word(name)

    def near(self, low, high):
        return f"{low * (high / low) ** self.r.random():.3g}"

    def typed(self, path, asked):
        """As a JSON body has it."""
        def value(name, text):
            kind = self.paths[path][name]["schema"]["type"]
            return float(text) if "number" in kind or "integer" in kind else \
                text == "1" if kind == "boolean" else text
        return {name: value(name, text) for name, text in asked.items()}

    # --- questions that make sense

    def load(self, asked, names=LOADS):
        name = self.r.choice(names)
        asked[name] = {"requests_per_minute": lambda: self.near(0.1, 1e4),
                       "tokens_per_day": lambda: self.near(1e5, 1e11),
                       "concurrent_requests": lambda: str(int(float(self.near(1, 500))))}[name]()

    def model(self, asked):
        if self.chance(0.15):
            asked["parameters"] = str(int(float(self.near(1e8, 5e11))))
        else:
            asked["model"] = self.r.choice(self.catalogue.models)

    def gpu(self, asked, several=False):
        common = [g for g in self.catalogue.gpus if g.startswith(("h100", "a100", "h200", "b200"))]
        names = common if self.chance(0.5) else self.catalogue.gpus
        asked["gpu"] = self.several(names) if several else self.r.choice(names)

    def pools(self, asked):
        models = self.r.sample(self.catalogue.models, self.r.randint(1, 3))
        asked["pools"] = ",".join(f"{model}:{self.near(0.05, 1)}" for model in models)

    def training(self, asked):
        self.model(asked)
        asked["tokens"] = self.near(1e8, 1e13)
        if self.chance(0.4):
            asked["gpu_count"] = str(2 ** self.r.randint(0, 12))
        if self.chance(0.4):
            asked["method"] = self.r.choice(["full", "lora", "qlora", "pretrain"])

    def use(self, asked):
        roll = self.r.random()
        if roll < 0.75:
            asked["utilization"] = self.r.choice(["0", "1", self.near(0.01, 1), self.near(0.2, 1)])
            if self.chance(0.5):
                asked["gpu_count"] = str(self.r.choice([1, 2, 8, 16, 64, 1000]))
        elif roll < 0.9:
            self.model(asked)
            self.load(asked)
        else:
            self.training(asked)
        if self.chance(0.3):
            asked["rent_price_per_gpu_hour"] = self.near(0.05, 20)
        if self.chance(0.3):
            asked["server_price"] = self.near(1e3, 1e6)

    def plan(self, asked):
        r = self.r
        work = r.choice(["train", "finetune", "serve", "serve", "train,serve", "finetune,serve"])
        asked["workload"] = work
        self.model(asked)
        if "serve" in work:
            self.load(asked)
        if "train" in work:
            asked["tokens"] = self.near(1e8, 1e12)
        if "finetune" in work:
            asked["finetune_tokens"] = self.near(1e6, 1e10)
        asked["gpu"] = self.several(self.catalogue.gpus, 3)
        asked["gpu_count_max"] = str(2 ** r.randint(3, 10))

    def sense(self, path, asked):
        base = f"{path}/".split("/")[2]
        if base == "training-plan":
            if not path.endswith("options"):
                self.gpu(asked)
            else:
                self.gpu(asked, True)
            self.training(asked)
        elif path == "/v1/inference-sizing/pools":
            self.pools(asked)
            self.load(asked, LOADS[:2])
        elif base == "inference-sizing":
            self.gpu(asked, path.endswith("options"))
            self.model(asked)
            self.load(asked)
        elif base == "break-even":
            self.gpu(asked, path.endswith("gpus"))
            self.use(asked)
        elif base == "recommendation":
            self.plan(asked)
        if path.endswith("/risk"):
            asked["draws"] = str(self.r.choice([100, 101, 1000, 5000]))
            if self.chance(0.7):
                asked["rent_price_per_gpu_hour"], asked["server_price"] = self.near(0.05, 20), self.near(1e3, 1e6)
        if path == "/v1/offers/history":
            asked["gpu"] = self.r.choice(self.catalogue.gpus)

    def compared(self):
        path = self.r.choice(["/v1/break-even", "/v1/training-plan", "/v1/inference-sizing"])
        one = {}
        self.sense(path, one)
        other = dict(one)
        for _ in range(self.r.randint(1, 3)):
            self.add(path, other, 1)
        return {key: f"{path}?{urllib.parse.urlencode(asked)}" for key, asked in (("a", one), ("b", other))}

    def varied(self, path, asked):
        """Which input a sensitivity turns: a number among those of the question."""
        numbers = [n for n, p in self.paths[path].items() if p["schema"]["type"] in ("number", "integer")
                   and "maximum" in p["schema"] and n not in ("header", "count", "explain", "download")]
        given = [n for n in numbers if n in asked]
        if self.chance(0.8):
            asked["vary"] = self.r.choice(given or numbers)
        if "vary" in asked and self.chance(0.15):
            asked["vary_2"] = self.r.choice([n for n in numbers if n != asked["vary"]])

    def add(self, path, asked, n):
        names = [name for name in self.paths[path] if name not in asked and
                 (name not in SELDOM or self.chance(0.1)) and name not in ("format", "seed", "draws")]
        for name in self.r.sample(names, min(n, len(names))):
            value = self.value(path, name, self.paths[path][name])
            if value is not None:
                asked[name] = value

    def ask(self):
        """A path and what is asked of it."""
        path = self.r.choice(list(self.paths))
        asked = {}
        if path.startswith("/v1/compare"):
            asked = self.compared()
        else:
            self.sense(path, asked)
        extras = 0
        while extras < 12 and self.chance(0.55):
            extras += 1
        self.add(path, asked, extras)
        if path.endswith("/sensitivity"):
            self.varied(path, asked)
        for name in [n for n in asked if "{" + n + "}" in path]:
            del asked[name]
        for name, names in (("gpu", self.catalogue.gpus), ("model", self.catalogue.models), ("id", ["1"])):
            path = path.replace("{" + name + "}", urllib.parse.quote(self.r.choice(names)))
        return path, asked

"""The ledger of buying and renting once more, in decimal arithmetic of 40 digits.

Written from the rules alone, to be compared with the daemon to the cent: months of 730 h, initial
lines at month 0, recurring lines at the end of months 1 to h, each rounded half-even to cents once.
`Ledger` takes every input as a Decimal or a word; NaN is a price that nobody knows."""
import decimal
import functools
import itertools
from decimal import Decimal as D

CONTEXT = decimal.Context(prec=40, rounding=decimal.ROUND_HALF_EVEN, Emax=10**6, Emin=-10**6)
decimal.setcontext(CONTEXT)
HOURS = D(730)
TWELVE = D(12)
CENT = D("0.01")
EXACT = D("1e-15")  # an amount this close to a tie counts as one: divisions round
UNKNOWN = D("NaN")
NOTHING = D("1e-25")  # what is left of equal numbers after 40 digits of arithmetic
RENTED = ("gpu_rental", "rental_overheads", "spot_overhead", "rental_support", "rental_goodput",
          "rental_idle_reservation")  # what credits of the cloud pay
ONCE = ("software_perpetual", "procurement_project")  # whatever is bought later
MACRS = {method: [D(percent) / 100 for percent in percents.split()] for method, percents in
         (("macrs_5yr", "20 32 19.2 11.52 11.52 5.76"), ("macrs_5yr_q4", "5 38 22.8 13.68 10.94 9.58"))}
FALLEN = {}  # worked out once
TERMS = {"reserved_1yr": 12, "reserved_3yr": 36, "capacity_block": 1}


def times(a, b):
    """Zero units cost 0 even if their price is unknown."""
    return D(0) if a == 0 or b == 0 else a * b


def cents(amount):
    amount = D(amount)
    return amount if amount.is_nan() else amount.quantize(EXACT).quantize(CENT)


def known(value):
    return value is not None and not value.is_nan()


def ceiling(value):
    return value.to_integral_value(decimal.ROUND_CEILING)


class Path:
    """What a price of month 1 has become in month j, and how much of it was paid so far."""

    def __init__(self, yearly, shares, term=0, fallen=lambda month: D(1)):
        root = (1 + yearly) ** (1 / TWELVE) if yearly else D(1)
        powers = [D(1)]
        for _ in shares[1:]:
            powers.append(powers[-1] * root)
        self.at = [D(0)]
        self.sum = [D(0)]
        for j in range(1, len(shares)):
            since = j - 1 - ((j - 1) % term if term else 0)
            self.at.append(powers[since] * shares[j] * fallen(since))
            self.sum.append(self.sum[-1] + self.at[-1])


def growth(yearly, months):
    root = (1 + yearly) ** (1 / TWELVE)
    powers = [D(1)]
    for _ in range(months):
        powers.append(powers[-1] * root)
    return powers


def annuity(interest, months):
    """What payments of 1 at the end of each month are worth now."""
    return D(months) if interest == 0 else (1 - (1 + interest) ** -months) / interest


class Charge:
    """Sum over j of cash_j x (growth^(h - j) - 1): what the money paid so far has cost."""

    def __init__(self, cash, powers):
        paid = worth = D(0)
        self.at = []
        for j, amount in enumerate(cash):
            paid += amount
            worth += amount / powers[j]
            self.at.append(worth * powers[j] - paid)


class Ledger:
    def __init__(self, inputs, months):
        self.v = inputs
        self.months = months
        self.nodes = ceiling(inputs["gpu_count"] / inputs["gpus_per_node"])
        self.new = self.nodes - ceiling(inputs["owned_gpu_count"] / inputs["gpus_per_node"])
        self.hardware = times(self.new, inputs["server_price"])
        new_price = inputs.get("new_server_price", UNKNOWN)
        new_price = new_price if known(new_price) else inputs["server_price"]
        self.as_new, self.kept_as_new = (times(n, new_price) for n in (self.new, self.nodes))
        self.racks = ceiling(self.new / inputs["nodes_per_rack"])
        self.kw = inputs["node_power_kw"] * self.nodes
        self.second_month = int(inputs["second_purchase_month"])
        self.second = D(0)
        if self.second_month:
            self.second = inputs["second_gpu_count"] / inputs["gpus_per_node"] / self.nodes
        self.initial_lines()
        self.rent_lines()
        self.running_lines()
        self.finance()

    # --- what is paid at month 0

    def initial_lines(self):
        v, hardware = self.v, self.hardware
        self.initial = {
            "gpu_servers": D(0) if v["financing"] == "operating_lease" else self.in_the_books(),
            "network_fabric": times(v["fabric_cost_ratio"], self.as_new),
            "management_network": self.racks * v["management_network_cost"],
            "rack_and_pdu": self.racks * v["rack_and_pdu_cost"],
            "storage": times(v["storage_cost"], self.as_new),
            "facility_fitout": v["node_power_kw"] * self.new / 1000 * v["facility_fitout_cost"],
            "liquid_cooling": self.racks * v["liquid_cooling_cost"],
            "spares": times(v["spares_ratio"], hardware),
            "freight_install": times(v["freight_install_ratio"], self.as_new),
            "import_duty": times(v["import_duty_ratio"], hardware),
            "vat": times(v["vat_ratio"], hardware),
            "software_perpetual": v["software_perpetual_cost"],
            "procurement_project": v["procurement_project_cost"],
        }
        staged = sum(amount for key, amount in self.initial.items() if key not in ONCE)
        whole = sum(self.initial.values())
        self.invested = [whole - times(1 - self.bought(j), staged)
                         for j in range(self.months + 1)]

    def bought(self, month):
        return D(1) if month >= self.second_month else 1 - self.second

    def fallen(self, month):
        """Price after the releases so far, over the mean of it if the first is in any month of an interval."""
        first, interval = (int(self.v[f"gpu_release_{name}"]) for name in ("month", "interval_months"))
        kept = 1 - self.v["gpu_release_drop_ratio"]
        if not first or kept == 1:
            return D(1)
        key = first, interval, kept, month
        if key not in FALLEN:
            after = [kept ** len(range(start, month + 1, interval)) for start in range(1, interval + 1)]
            FALLEN[key] = kept ** len(range(first, month + 1, interval)) / (sum(after) / interval)
        return FALLEN[key]

    def used(self, month):
        """Share of a month's hours: the first phase may end within it."""
        first = min(D(1), max(D(0), self.v["first_phase_months"] - (month - 1)))
        return times(first, self.v["first_phase_utilization"]) + (1 - first) * self.v["utilization"]

    def rented_share(self, month):
        """The hours that are paid: those in use, unless the schedule says otherwise."""
        later = self.v["rented_ratio"] if known(self.v["rented_ratio"]) else self.v["utilization"]
        first = min(D(1), max(D(0), self.v["first_phase_months"] - (month - 1)))
        return times(first, self.v["first_phase_utilization"]) + (1 - first) * later

    # --- the rent side: (a month's amount at month 1 and full use, its path)

    def rent_lines(self):
        v = self.v
        term = TERMS.get(v["purchase_option"], 0)
        whole = [D(1)] * (self.months + 1)
        shares = whole if term else [self.rented_share(j) for j in range(self.months + 1)]
        rent = Path(-v["rent_price_decline_ratio"], shares, term, self.fallen)
        unused = Path(-v["rent_price_decline_ratio"], [1 - share for share in shares], term, self.fallen)
        flat = Path(v["inflation"], whole)
        all_hours = v["gpu_count"] * HOURS
        price = (v["rent_price_per_gpu_hour"] * (1 - v["commitment_discount_ratio"])
                 * (1 - v["spot_discount_ratio"]))
        paid = times(all_hours, price)
        spot = v["spot_overhead_ratio"] if v["purchase_option"] == "spot" else D(0)
        idle = times(all_hours, v["capacity_reservation_idle_ratio"])
        self.rented = {  # an unknown rent is unknown of no hours too
            "gpu_rental": (paid, rent if known(price) else Path(D(0), whole)),
            "rental_overheads": (times(v["rental_overhead_ratio"], paid), rent),
            "spot_overhead": (times(spot, paid), rent),
            "rental_support": (times(v["support_uplift_ratio"], paid), rent),
            "rental_goodput": (times(v["goodput_uplift_ratio"], paid), rent),
            "rental_idle_reservation": (times(idle, price), unused),
            "rental_storage": (times(v["storage_tb"] * 1000, v["storage_price_per_gb_month"]), flat),
            "rental_egress": (v["egress_tb_per_month"] * 1000 * v["egress_price_per_gb"], flat),
            "rental_debugging": (v["debugging_cost_year"] / TWELVE, flat),
            "training_other": (v["training_other_cost_month"], flat),
        }
        self.rent_cash = [self.cash(self.rented, j) for j in range(self.months + 1)]
        left = max(0, term - int(v["horizon_months"]))  # of the first term, when all ends
        self.exit_fee = times(v["commitment_exit_ratio"] * left, times(all_hours, price))
        billed = {key: self.rented[key] for key in RENTED}
        self.billed = [self.cash(billed, j) for j in range(self.months + 1)]
        self.rent_credits = self.spent([due + self.left(j) - self.left(j - 1) for j, due in enumerate(self.billed)])

    def spent(self, due):
        """What credits pay of what is due each month, until they are gone or expired."""
        left, spent, last = self.v["cloud_credits"], [D(0)], self.v["cloud_credits_months"]
        for month, amount in enumerate(due[1:], 1):
            expired = last and month > last
            spent.append(D(0) if expired or not self.v["cloud_credits"] else
                         amount + left if (amount + left).is_nan() else min(left, amount))
            left -= spent[-1]
        return spent

    def left(self, month):
        """What leaving a reserved term has cost by that month."""
        return self.exit_fee if month >= self.v["horizon_months"] else D(0)

    @staticmethod
    def cash(lines, month):
        return sum((times(amount, path.at[month]) for amount, path in lines.values() if amount), D(0))

    # --- the running lines of owning

    def running_lines(self):
        v, hardware = self.v, times(self.nodes, self.v["server_price"])
        shares = [(1 - self.second) * self.arrived(j)
                  + self.second * self.arrived(j - self.second_month)
                  for j in range(self.months + 1)]
        rises = ("electricity_escalation_ratio", "colocation_escalator_ratio",
                 "staff_escalation_ratio", "inflation")
        _, colocation, staff, flat = (Path(v[name], shares) for name in rises)
        idle, more = v["idle_power_ratio"], v["power_load_ratio"] - v["idle_power_ratio"]
        loads = [share * (idle + more * self.used(j)) for j, share in enumerate(shares)]
        power, emitted = (Path(v[name], loads) for name in (rises[0], "inflation"))
        kwh = self.kw * HOURS
        carbon = D(0)
        if v["carbon_price_per_tonne"]:
            carbon = kwh * v["pue"] * v["grid_carbon_kg_per_kwh"] / 1000 * v["carbon_price_per_tonne"]
        failed = v["gpu_count"] * v["gpu_annual_failure_ratio"] * v["gpu_replacement_ratio"]
        card = v["gpu_card_price"]
        if not known(card):
            card = v["server_price"] * (1 - v["host_share"]) / v["gpus_per_node"]
        yearly = {
            "cooling": v["cooling_cost_year"],
            "maintenance": times(v["maintenance_ratio"], self.kept_as_new),
            "gpu_replacement": times(failed, card),
            "software_subscription": v["gpu_count"] * v["software_subscription_per_gpu_year"],
            "insurance": times(v["insurance_ratio"], hardware),
            "property_tax": times(v["property_tax_ratio"], hardware),
            "security_compliance": v["security_compliance_cost_year"],
            "training": v["training_cost_year"],
            "monitoring_backup": v["monitoring_backup_cost_year"],
        }
        self.running = {
            "electricity_it": (kwh * v["electricity_price_per_kwh"], power),
            "electricity_facility": (kwh * (v["pue"] - 1) * v["electricity_price_per_kwh"], power),
            "demand_charge": (self.kw * v["demand_charge_per_kw_month"], flat),
            "colocation": (self.kw * v["colocation_price_per_kw_month"], colocation),
            "remote_hands": (v["remote_hands_cost_month"], flat),
            "cross_connect": (v["cross_connect_cost_month"], flat),
            "internet_transit": (v["internet_transit_cost_month"], flat),
            "staff": (v["staff_fte"] * v["staff_cost_per_fte_year"] / TWELVE, staff),
            "carbon": (carbon, emitted),
            "water": (v["water_cost_month"], flat),
            "training_other": (v["training_other_cost_month"], flat),
        }
        self.running |= {key: (amount / TWELVE, flat) for key, amount in yearly.items()}
        self.waiting = [times(1 - shares[j], self.rent_cash[j]) for j in range(self.months + 1)]
        self.own_credits = self.spent([times(1 - shares[j], self.billed[j]) for j in range(self.months + 1)])
        self.own_cash = [self.cash(self.running, j) + self.waiting[j] - self.own_credits[j]
                         for j in range(self.months + 1)]
        self.waited = self.cumulated(self.waiting)

    def arrived(self, month):
        return min(D(1), max(D(0), month - self.v["lead_time_months"]))

    @staticmethod
    def cumulated(values):
        sums = [D(0)]
        for value in values[1:]:
            sums.append(sums[-1] + value)
        return sums

    # --- what is owed, leased and deducted

    def financing_rate(self):
        v = self.v
        if v["financing"] != "cash" and known(v["financing_interest_ratio"]):
            return v["financing_interest_ratio"]
        return v["cost_of_capital"]

    def option_price(self):
        """The value of the servers at the end of a lease."""
        v, share = self.v, self.v["lease_residual_ratio"]
        if not known(share):
            share = D(0) if v["financing"] == "finance_lease" else self.kept(int(v["lease_months"]))
        return times(share, self.hardware)

    def in_the_books(self):
        """The servers' price, or what the payments and the purchase option of their finance lease are worth."""
        v, term = self.v, int(self.v["lease_months"])
        if v["financing"] != "finance_lease" or not known(v["lease_payment_month"]) or self.new == 0:
            return self.hardware
        step = (1 + self.financing_rate()) ** (1 / TWELVE)
        return v["lease_payment_month"] * annuity(step - 1, term) + times(self.option_price(), step ** -term)

    def borrow(self):
        """What the loan, or the finance lease, takes each month, and the interest within it."""
        v = self.v
        powers = growth(self.financing_rate(), max(self.months, 1))
        interest = powers[1] - 1
        term = int(v["loan_months"])
        owed = D(0)
        if v["financing"] == "loan":
            owed = times(1 - v["loan_down_payment_ratio"], self.invested[0])
        payment = owed / annuity(interest, term) if term else D(0)
        if v["financing"] == "finance_lease":
            term, owed = int(v["lease_months"]), self.initial["gpu_servers"]
            payment = v["lease_payment_month"]
            if not known(payment):
                payment = (owed - self.option_price() / (1 + interest) ** term) / annuity(interest, term)
            if owed == 0:
                payment = D(0)
        self.paid_down = self.invested[0] - owed
        self.repaid, self.interest = [D(0)], [D(0)]
        for j in range(1, self.months + 1):
            self.interest.append(owed * interest)
            owed += self.interest[-1]
            paid = D(0) if j > term else owed if j == term else payment
            owed -= paid
            self.repaid.append(paid)
        self.interest_sum = self.cumulated(self.interest)

    def lease(self):
        """What the lessor gets each month, and at the end of the term."""
        v, term = self.v, int(self.v["lease_months"])
        self.leased, self.bought_out, self.ended = ([D(0)] * (self.months + 1) for _ in range(3))
        if v["financing"] != "operating_lease":
            return
        buyout = v["lease_end"] == "buyout"
        left = self.option_price()
        monthly = (1 + self.financing_rate()) ** (1 / TWELVE)
        payment = v["lease_payment_month"]
        if not known(payment):
            payment = (self.hardware - left / monthly ** term) / annuity(monthly - 1, term)
        for j in range(1, self.months + 1):
            if j <= term or not buyout:
                self.leased[j] = payment
            if j == term and buyout:
                self.bought_out[j] = left
            if j == v["horizon_months"] < term:  # no lease can be cancelled
                self.ended[j] = v["lease_exit_ratio"] * payment * (term - j)

    def owned(self, month):
        v = self.v
        return v["financing"] != "operating_lease" or \
            v["lease_end"] == "buyout" and month >= v["lease_months"]

    # --- the cost of capital, tax and what is left at the end

    def finance(self):
        v, months = self.v, range(self.months + 1)
        self.borrow()
        self.lease()
        self.write_offs()
        tax = v["tax_rate"]
        spent = [self.own_cash[j] + self.leased[j] + self.bought_out[j] + self.ended[j] for j in months]
        saved = [times(tax, spent[j] + self.interest[j] + self.written[j]) for j in months]
        self.own_tax = self.cumulated(saved)
        powers = growth(v["cost_of_capital"], self.months)
        own = [self.paid_down] + [
            spent[j] + self.repaid[j] - saved[j] + self.invested[j] - self.invested[j - 1] + self.replaced(j)
            for j in months[1:]]
        self.own_charge = Charge(own, powers)
        self.own_paid = own
        rent = [v["setup_cost"]] + [cash + self.left(j) - self.left(j - 1) - self.rent_credits[j]
                                    for j, cash in enumerate(self.rent_cash) if j]
        self.rent_tax = [times(tax, rent[0])]
        for amount in rent[1:]:
            self.rent_tax.append(self.rent_tax[-1] + times(tax, amount))
        self.rent_paid = [amount - times(tax, amount) for amount in rent]
        self.rent_charge = Charge(self.rent_paid, powers)

    def write_offs(self):
        """What is bought in a month is deducted from the next on, by its own age."""
        first, second = self.invested[0], self.invested[self.months] - self.invested[0]
        self.written_off = [times(first, self.deducted(j)) + times(second, self.deducted(j - self.second_month))
                            for j in range(self.months + 1)]
        self.written = [D(0)] + [self.written_off[j] - self.written_off[j - 1]
                                 for j in range(1, self.months + 1)]

    def deducted(self, months):
        """The share of the cost after those months: whole tax years and a part of one."""
        v, years, rest = self.v, max(months, 0) // 12, D(max(months, 0) % 12) / 12
        if v["depreciation_method"] == "straight_line":
            yearly = v["tax_depreciation"] or TWELVE / v["useful_life_months"]
            share = min(D(1), (years + rest) * yearly)
        else:
            yearly = MACRS.get(v["depreciation_method"]) or self.declining(years + 1)
            share = sum(yearly[:years]) + rest * (yearly[years] if years < len(yearly) else 0)
        bonus = v["bonus_depreciation_ratio"]
        return bonus * min(D(1), years + rest) + (1 - bonus) * share

    def declining(self, years):
        life, left, shares = self.v["useful_life_months"] / 12, D(1), []
        for year in range(years):
            even = left / (life - year) if life - year > 1 else left
            shares.append(max(even, left * min(D(1), 2 / life)))
            left -= shares[-1]
        return shares

    def worth(self, month, bought=0):
        """What servers bought then bring on the market, net of fees."""
        return self.hardware * self.kept(month - bought) * self.fallen(month) / self.fallen(bought)

    def in_place_since(self, month):
        """When the servers in place after that month were bought: at its end they may just be new."""
        life = int(self.v["useful_life_months"])
        last = min(month, int(self.v["horizon_months"]) - 1)
        return last // life * life if self.v.get("replace_servers") else 0

    def replaced(self, month):
        """What servers cost again whose life is over, less what the old ones bring."""
        v = self.v
        before = self.in_place_since(month - 1) if month else 0
        if not month or self.in_place_since(month) == before:
            return D(0)
        again = 1 + v["spares_ratio"] + v["import_duty_ratio"] + v["vat_ratio"]
        return (times(again, self.hardware) + times(v["freight_install_ratio"] + v["decommissioning_ratio"], self.as_new)
                - self.worth(month, before))

    @functools.cached_property
    def replacements(self):
        """What all replacements have cost by each month."""
        return list(itertools.accumulate(self.replaced(j) for j in range(self.months + 1)))

    def kept(self, month):
        v = self.v
        return (self.power(v["annual_value_retention"], month / TWELVE)
                * v["resale_condition_factor"] * (1 - v["resale_fee_ratio"]))

    def sold(self, month):
        v, hardware = self.v, self.hardware
        if hardware == 0 or not self.owned(month):
            return D(0)
        if hardware.is_nan() or not known(v["residual_value"]):
            first = (1 - self.second) * self.worth(month, self.in_place_since(month))
            later = month >= self.second_month and self.second
            return first + (self.second * self.worth(month, self.second_month) if later else 0)
        share, time = v["residual_value"] / hardware, D(month) / v["horizon_months"]
        return self.bought(month) * hardware * self.power(share, min(time, D(1)) if share > 1 else time)

    @staticmethod
    def power(base, exponent):
        return D(1) if exponent == 0 else base ** exponent if base else base

    def scrapped(self, month):
        if not self.owned(month):
            return D(0)
        return self.bought(month) * times(self.v["decommissioning_ratio"], self.as_new)

    # --- both sides after that many months

    def buy(self, month):
        """Every line of buying, not yet rounded."""
        sold, scrapped = self.sold(month), self.scrapped(month)
        loss = self.invested[month] - self.written_off[month] + scrapped - sold
        lines = {key: amount if key in ONCE else times(self.bought(month), amount)
                 for key, amount in self.initial.items()}
        lines |= self.so_far(self.running, month)
        lines["lead_time_rental"] = self.waited[month]
        lines["cloud_credits"] = -sum(self.own_credits[:month + 1])
        lines["lease_payments"] = sum(self.leased[:month + 1])
        lines["lease_buyout"] = sum(self.bought_out[:month + 1])
        lines["lease_exit"] = sum(self.ended[:month + 1])
        leased = self.v["financing"] == "finance_lease"
        lines["lease_interest"] = self.interest_sum[month] if leased else D(0)
        lines["server_replacement"] = self.replacements[month]
        lines["loan_interest"] = D(0) if leased else self.interest_sum[month]
        lines["cost_of_capital"] = self.own_charge.at[month]
        shield = times(self.v["tax_rate"], self.written_off[month])
        lines["tax_relief"] = shield - self.own_tax[month]
        lines["depreciation_tax_shield"] = -shield
        lines["disposal_tax"] = -times(self.v["tax_rate"], loss)
        lines["decommissioning"] = scrapped
        lines["residual_value"] = -sold
        return lines

    def rent(self, month):
        lines = {"setup": self.v["setup_cost"]}
        lines |= self.so_far(self.rented, month)
        lines["commitment_exit"] = self.left(month)
        lines["cloud_credits"] = -sum(self.rent_credits[:month + 1])
        lines["cost_of_capital"] = self.rent_charge.at[month]
        lines["tax_relief"] = -self.rent_tax[month]
        return lines

    @staticmethod
    def so_far(lines, month):
        return {key: times(amount, path.sum[month]) for key, (amount, path) in lines.items()}

    @staticmethod
    def total(lines):
        return sum(cents(amount) for amount in lines.values() if amount)

    def gap(self, month):
        """Buying less renting, each line rounded."""
        return self.total(self.buy(month)) - self.total(self.rent(month))

    def difference(self, month):
        """Buying less renting, before any rounding; what is left of two equal sums is nothing."""
        buy, rent = self.buy(month).values(), self.rent(month).values()
        difference = sum(buy) - sum(rent)
        if difference.is_nan():
            return difference
        return D(0) if abs(difference) <= NOTHING * sum(map(abs, (*buy, *rent))) else difference


# --- the turning points

def break_even_months(gaps):
    """The first month, linear between whole months, from which buying costs no more."""
    if gaps[0] <= 0:
        return D(0)
    for j in range(1, len(gaps)):
        if gaps[j - 1] > 0 >= gaps[j]:
            return j - 1 + gaps[j - 1] / (gaps[j - 1] - gaps[j])
    return None


class Bent:
    """Where both sides cost the same at the horizon with credits, which bend the lines."""

    def __init__(self, inputs, name, most):
        self.inputs, self.name, self.most = inputs, name, most

    def difference(self, value):
        month = int(self.inputs["horizon_months"])
        return Ledger(self.inputs | {self.name: D(value)}, month).difference(month)

    def wrong(self, value, status):
        """Whether that is not where the sign changes."""
        low, high = self.difference(0), self.difference(self.most)
        if low.is_nan() or high.is_nan():
            return status != "unknown_price"
        if low != 0 and (low <= 0) == (high <= 0):
            return status != ("buy_cheaper_throughout" if low <= 0 else "rent_cheaper_throughout")
        near = max(D("1e-4"), D(value) * D("1e-5"))  # the digits that are printed
        below, above = self.difference(max(D(0), value - near)), self.difference(min(self.most, value + near))
        return status != "reached" or below != 0 != above and (below < 0) == (above < 0)


def turning_point(inputs, name, most):
    """Where both sides cost the same at the horizon: every line is linear in it."""
    month = int(inputs["horizon_months"])
    if inputs["cloud_credits"]:
        return Bent(inputs, name, most)
    at = [Ledger(inputs | {name: D(x)}, month).difference(month) for x in (0, 1)]
    slope = at[1] - at[0]
    if slope.is_nan():
        return None, "unknown_price"
    if abs(slope) > NOTHING * abs(at[0]) and 0 <= -at[0] / slope <= most:
        return -at[0] / slope, "reached"
    return None, "buy_cheaper_throughout" if at[0] <= 0 else "rent_cheaper_throughout"


class Answer:
    """What /v1/break-even says."""

    def __init__(self, inputs):
        horizon = int(inputs["horizon_months"])
        search = int(min(inputs["useful_life_months"], 120))
        if inputs["commitment_exit_ratio"] and TERMS.get(inputs["purchase_option"], 0) > horizon or \
                inputs["lease_exit_ratio"] and inputs["financing"] == "operating_lease" and inputs["lease_months"] > horizon:
            search = min(search, horizon)
        ledger = Ledger(inputs, max(horizon, search))
        self.buy, self.rent = ledger.buy(horizon), ledger.rent(horizon)
        self.buy_total, self.rent_total = ledger.total(self.buy), ledger.total(self.rent)
        self.months = self.status = None
        if ledger.gap(max(horizon, search)).is_nan():  # of servers that are owned and run later, too
            self.status = "unknown_price"
        else:
            gaps = [ledger.gap(j) for j in range(search + 1)]
            self.months = break_even_months(gaps)
            self.status = f"not_within_{search}_months" if self.months is None else "reached"
        self.returns(inputs, ledger, horizon, search)
        self.utilization = turning_point(inputs, "utilization", D(1))
        self.rent_price = turning_point(inputs, "rent_price_per_gpu_hour", D("1e7"))

    def returns(self, inputs, ledger, horizon, search):
        """Present values of the totals to the cent, and both paybacks."""
        powers = growth(inputs["cost_of_capital"], max(horizon, search))
        present = {side: cents(total / powers[horizon]) for side, total in
                   (("buy", self.buy_total), ("rent", self.rent_total))}
        plain = {side: total - cents(lines["cost_of_capital"]) for side, total, lines in
                 (("buy", self.buy_total, self.buy), ("rent", self.rent_total, self.rent))}
        self.money = {f"{side}_present_cost": present[side] for side in present}
        self.money |= {f"{side}_undiscounted_cost": plain[side] for side in plain}
        self.money["npv"] = present["rent"] - present["buy"]
        saved = [ledger.rent_paid[j] - ledger.own_paid[j] for j in range(search + 1)]
        self.paybacks = {"payback_months": payback(saved),
                         "discounted_payback_months": payback(
                             [amount / powers[j] for j, amount in enumerate(saved)])}


def payback(saved):
    """The first month, linear between two, by which what was saved makes up for what was paid; none if nothing was short."""
    so_far, short = D(0), False
    for j, amount in enumerate(saved):
        before, so_far = so_far, so_far + amount
        if so_far.is_nan():
            return None
        if so_far >= 0 and short:
            return j - 1 - before / (so_far - before)
        short = short or so_far < D("-0.005")
    return None

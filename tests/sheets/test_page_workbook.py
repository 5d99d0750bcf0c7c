"""The live workbook as the page gives it away: opened as it is, it asks the page's address with the page's inputs."""
import pathlib
import re
import sys
import zipfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "page"))
from browser import Browser

# For each sheet: inputs that it lists and that it does not, a text and a choice among them.
ASKED = {
    "training-plan": dict(model="llama-3-8b", tokens="1e11", gpu="h100-sxm5-80gb", gpu_count="64", precision="bf16", tensor_parallel="2",
                          goodput="0.9", egress_gb="50", experiment_ratio="0.1", training_staff_fte="1", provider="aws,azure"),
    "break-even": dict(gpu="h200-sxm5-141gb", gpu_count="16", utilization="0.55", horizon_months="48", currency="EUR", housing="colocation",
                       vat_ratio="0.19", spares_ratio="0.02", tax_rate="0.2", fabric_cost_ratio="0.1", import_duty_ratio="0.03"),
}
SHEETS = {"training-plan": ("Training plan", "total_cost"), "break-even": ("Break-even", "buy_total_cost")}


@pytest.fixture(scope="module")
def browser():
    chromium = Browser("en-US")
    yield chromium
    chromium.close()


@pytest.mark.parametrize("question, file", [("training-plan", "gpuplan.xlsx"), ("break-even", "gpuplan.xlsx"), ("break-even", "gpuplan.ods")])
def test_the_workbook_of_the_page_asks_what_the_page_asks(server, browser, calc, question, file):
    inputs, (title, figure) = ASKED[question], SHEETS[question]
    browser.run_cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(calc.folder))
    browser.show(f"{server.url}/{question}?" + "&".join(f"{name}={value}" for name, value in inputs.items()))
    path = calc.folder / file
    path.unlink(missing_ok=True)
    link = browser.find(f'.use a[href="/{file}"]')
    browser.run("arguments[0].scrollIntoView({ block: 'center' })", link)
    link.click()
    # Chromium reserves the name with an empty file before it renames the finished download to it.
    browser.wait(lambda: zipfile.is_zipfile(path), "the whole file")
    document = calc.open(path.as_uri())
    try:
        calc.fetch(document)
        named = document.NamedRanges.getByName
        assert named("base_url").ReferredCells.String == server.url
        sheet = document.Sheets.getByName(title)
        rows = {row[6]: row for row in reversed(sheet.getCellRangeByName("A1:H90").getDataArray())}
        answer = server.get(f"/v1/{question}.json", **inputs).json
        assert rows[figure][1] == pytest.approx(answer[figure], rel=1e-9)
        assert rows["gpu"][1] == server.get(f"/v1/gpus/{inputs['gpu']}").json["name"] and rows["gpu"][7] == inputs["gpu"]
        assert rows["gpu_count"][1] == float(inputs["gpu_count"])
        assert rows["rent_price_per_gpu_hour" if question == "break-even" else "budget"][1] == "", "what the page leaves open"
        seen = [cell for row in sheet.getCellRangeByName("A1:F90").getDataArray() for cell in row if isinstance(cell, str)]
        assert not [cell for cell in seen if re.search(r"[a-z0-9]_[a-z]", cell)], "labels, no names of the API"
    finally:
        document.close(True)

"""One LibreOffice of each locale, which all tests share: to start one costs more than most tests."""
import pytest

from calc import Calc


@pytest.fixture(scope="session", params=["en-US", "de-DE"])
def calc(request, tmp_path_factory):
    program = Calc(request.param, tmp_path_factory.mktemp("calc"))
    yield program
    program.close()

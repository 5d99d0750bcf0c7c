"""A headless LibreOffice Calc of one locale, with a profile of its own that lets cells fetch.

Three things are all needed before WEBSERVICE fetches: Calc/Content/Update Link = 0 in the profile,
the sheet's folder as a trusted location, and a load with FULL_UPDATE followed by UpdateTableLinks;
otherwise every such cell is Err:540.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="ODFRecalcMode" oor:op="fuse"><value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="SecureURL" oor:op="fuse"><value><it>{folder}</it></value></prop></item>
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>{locale}</value></prop></item>
</oor:items>"""

SHEET = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="Budget">{rows}</table:table></office:spreadsheet></office:body>
</office:document>"""


def properties(**values):
    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def fods(path, formulas):
    """Write a sheet whose column A holds the formulas, in OpenFormula's own notation: there the
    function is called COM.MICROSOFT.WEBSERVICE."""
    formulas = [formula.replace("WEBSERVICE(", "COM.MICROSOFT.WEBSERVICE(") for formula in formulas]
    rows = "".join(f'<table:table-row><table:table-cell table:formula="of:{escaped(formula)}"/></table:table-row>'
                   for formula in formulas)
    pathlib.Path(path).write_text(SHEET.format(rows=rows))


class Calc:
    def __init__(self, locale, folder):
        self.folder = pathlib.Path(folder)
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="calc."))
        (self.home / "user").mkdir()
        (self.home / "user/registrymodifications.xcu").write_text(
            PROFILE.format(folder=self.folder.as_uri(), locale=locale))
        pipe = f"gpuplan{os.getpid()}{locale}"
        self.process = subprocess.Popen(
            ["soffice", "--headless", "--norestore", "--nologo", f"-env:UserInstallation={self.home.as_uri()}",
             f"--accept=pipe,name={pipe};urp"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env=dict(os.environ) | {"HOME": str(self.home)})
        self.context = self._connect(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")

    def _connect(self, address):
        manager = uno.getComponentContext().ServiceManager
        resolver = manager.createInstance("com.sun.star.bridge.UnoUrlResolver")
        deadline, pause = time.monotonic() + 60, threading.Event()
        while True:
            try:
                return resolver.resolve(address)
            except NoConnectException:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                pause.wait(0.05)

    def _make(self, service):
        return self.context.ServiceManager.createInstanceWithContext(service, self.context)

    def open(self, address, **options):
        """A document, its links fetched and its formulas worked out. As a preview, it has no formula
        bar: Debian's package without a user interface lacks that, and ends when it wants to show it."""
        document = self._make("com.sun.star.frame.Desktop").loadComponentFromURL(
            address, "_blank", 0, properties(Hidden=True, PluginMode=1, ReadOnly=False, UpdateDocMode=3, **options))
        assert document is not None, f"LibreOffice cannot open {address}"
        self.fetch(document)
        return document

    def fetch(self, document):
        self._make("com.sun.star.frame.DispatchHelper").executeDispatch(
            document.CurrentController.Frame, ".uno:UpdateTableLinks", "", 0, ())
        document.calculateAll()

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(180)
        shutil.rmtree(self.home, ignore_errors=True)

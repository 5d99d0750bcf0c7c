"""workbook.py - a workbook without a file format: cells of text, numbers and formulas.

Formulas are written as English Excel shows them: =SUM(A1:A9,base_url). Each writer turns them into
its own notation with rewritten().
"""
import io
import re
import zipfile
from xml.sax.saxutils import escape

# The looks a cell can have; both writers know each.
STYLES = ["text", "title", "head", "input", "value", "money", "small", "link"]
INPUT_COLOUR, HEAD_COLOUR, SMALL_COLOUR, LINK_COLOUR = "FFF7CC", "E4E9F0", "666666", "0B57D0"


class Cell:
    """`content` is text, a number, a formula that begins with =, or None."""

    def __init__(self, content, style="text"):
        assert style in STYLES, style
        self.content, self.style = content, style

    @property
    def formula(self):
        return self.content if isinstance(self.content, str) and self.content.startswith("=") else None


class Sheet:
    def __init__(self, title, widths_cm):
        self.title, self.widths_cm = title, widths_cm
        self.rows, self.names = [], {}

    @property
    def next(self):
        """The number of the row that add() will fill."""
        return len(self.rows) + 1

    def add(self, *cells):
        self.rows.append([cell or Cell(None) for cell in cells])

    def name(self, name, column, row):
        self.names[name] = (column, row)


class Workbook:
    def __init__(self, sheets):
        self.sheets = sheets

    @property
    def names(self):
        """(name, sheet's title, column, row) of every named cell."""
        return [(name, sheet.title, *at) for sheet in self.sheets for name, at in sheet.names.items()]


TOKEN = re.compile(r'"(?:[^"]|"")*"|(?P<cell>[A-Z]{1,2}[0-9]+)(?::(?P<end>[A-Z]{1,2}[0-9]+))?\b'
                   r'|(?P<function>[A-Z]+)(?=\()|(?P<comma>,)')


def rewritten(formula, cell, function, comma):
    """The formula in another notation; text in quotes stays what it is."""
    def one(match):
        if match["cell"]:
            return cell(match["cell"], match["end"])
        if match["function"]:
            return function(match["function"])
        return comma if match["comma"] else match[0]
    return TOKEN.sub(one, formula)


def attributes(**values):
    return "".join(f' {name}="{escape(str(value), {chr(34): "&quot;"})}"' for name, value in values.items())


def archive(parts):
    """A zip file of (path, text), the same bytes for the same parts: no compression, which differs
    from one zlib to the next, and one date for all."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
        for path, text in parts:
            info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            info.create_system = 0
            file.writestr(info, text)
    return out.getvalue()

"""workbook.py - a workbook without a file format: cells of text, numbers and formulas.

Formulas are written as English Excel shows them: =SUM(A1:A9,base_url). Each writer turns them into
its own notation with rewritten().
"""
import collections
import io
import re
import zipfile
from xml.sax.saxutils import escape

# The looks a cell can have; both writers know each.
STYLES = ["text", "title", "head", "input", "whole_input", "value", "whole", "money", "unit", "small", "link"]
CHART_COLOURS = ["0B57D0", "B3400A"]
INPUT_COLOUR, HEAD_COLOUR, SMALL_COLOUR, LINK_COLOUR = "FFF7CC", "E4E9F0", "666666", "0B57D0"


class Cell:
    """`content` is text, a number, a formula that begins with =, or None. `choices` names the cells
    to choose it from; `room` leaves blanks in the file after it, for the daemon to put in a longer text."""

    def __init__(self, content, style="text", choices=None, room=False):
        assert style in STYLES, style
        self.content, self.style, self.choices, self.room = content, style, choices, room

    @property
    def formula(self):
        return self.content if isinstance(self.content, str) and self.content.startswith("=") else None

    @property
    def shown(self):
        return self.content not in (None, "") or self.style != "text"


# A chart with nothing next to it, from row `at` on: of `series` columns to the right of `column` on another
# sheet, whose first row has their names and whose next `points` rows have a category and the figures.
Chart = collections.namedtuple("Chart", "title kind sheet column series points at rows axis")
ROOM = 256


class Sheet:
    """`hidden_columns` are letters; A to `printed` fit on one page."""

    def __init__(self, title, widths_cm, hidden_columns="", printed=None, hidden=False):
        self.title, self.widths_cm = title, list(widths_cm)
        self.hidden_columns, self.printed, self.hidden = hidden_columns, printed, hidden
        self.rows, self.names, self.charts = [], {}, []

    @property
    def next(self):
        """The number of the row that add() will fill."""
        return len(self.rows) + 1

    def add(self, *cells):
        self.rows.append([cell or Cell(None) for cell in cells])

    def put(self, row, column, cells):
        """Cells into a row that may be there already, from a column that is counted from 0."""
        while len(self.rows) < row:
            self.add()
        line = self.rows[row - 1]
        line += [Cell(None) for _ in range(column - len(line))]
        line[column:] = cells

    def name(self, name, column, row, rows=1):
        self.names[name] = (column, row, rows)


class Workbook:
    def __init__(self, sheets):
        self.sheets = sheets

    @property
    def names(self):
        """(name, sheet's title, column, row, rows) of every name."""
        return [(name, sheet.title, *at) for sheet in self.sheets for name, at in sheet.names.items()]

    def named(self, name):
        return next(each for each in self.names if each[0] == name)

    @property
    def charts(self):
        """(chart, the sheet it is on) of all."""
        return [(chart, sheet) for sheet in self.sheets for chart in sheet.charts]


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


def letter(column):
    """The name of a column that is counted from 0."""
    return (chr(ord("A") + column // 26 - 1) if column >= 26 else "") + chr(ord("A") + column % 26)


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

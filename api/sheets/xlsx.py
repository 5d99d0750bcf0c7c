"""xlsx.py - writes a workbook as Office Open XML."""
from xml.sax.saxutils import escape

from workbook import HEAD_COLOUR, INPUT_COLOUR, LINK_COLOUR, SMALL_COLOUR, STYLES, archive, attributes, rewritten

HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"

# Functions of Excel 2013 carry this prefix in a file.
NEW_FUNCTIONS = {"WEBSERVICE", "ENCODEURL", "NUMBERVALUE"}

# A column is this much wider in characters than in centimetres.
CHARACTERS_PER_CM = 4.9

# bold, underlined, size, colour
FONTS = [("", "", 11, "000000"), ("<b/>", "", 11, "000000"), ("", "", 9, SMALL_COLOUR), ("", "<u/>", 11, LINK_COLOUR),
         ("<b/>", "", 16, "000000")]
FILLS = ['<patternFill patternType="none"/>', '<patternFill patternType="gray125"/>'] + [
    f'<patternFill patternType="solid"><fgColor rgb="FF{colour}"/></patternFill>' for colour in (HEAD_COLOUR, INPUT_COLOUR)]
CENTS = 4  # the built-in format #,##0.00
# style: font, fill, number format
LOOKS = {"text": (0, 0, 0), "title": (4, 0, 0), "head": (1, 2, 0), "input": (0, 3, 0), "value": (1, 0, 0),
         "money": (1, 0, CENTS), "small": (2, 0, 0), "link": (3, 0, 0)}


def counted(tag, items):
    return f'<{tag} count="{len(items)}">{"".join(items)}</{tag}>'


def styles():
    fonts = [f'<font>{bold}{underlined}<sz val="{size}"/><color rgb="FF{colour}"/><name val="Calibri"/></font>'
             for bold, underlined, size, colour in FONTS]
    cells = [f'<xf numFmtId="{form}" fontId="{font}" fillId="{fill}" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"/>'
             for font, fill, form in (LOOKS[style] for style in STYLES)]
    return (f'{HEADER}<styleSheet xmlns="{MAIN}">{counted("fonts", fonts)}'
            f'{counted("fills", [f"<fill>{fill}</fill>" for fill in FILLS])}'
            '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
            '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
            f'{counted("cellXfs", cells)}</styleSheet>')


def formula_text(formula):
    return rewritten(formula[1:], lambda first, end: f"{first}:{end}" if end else first,
                     lambda name: f"_xlfn.{name}" if name in NEW_FUNCTIONS else name, ",")


def cell(one, column, row):
    at = f'r="{chr(ord("A") + column)}{row}" s="{STYLES.index(one.style)}"'
    if one.formula:
        return f"<c {at}><f>{escape(formula_text(one.formula))}</f></c>"
    if one.content is None or one.content == "":
        return f"<c {at}/>"
    if isinstance(one.content, str):
        return f'<c {at} t="inlineStr"><is><t xml:space="preserve">{escape(one.content)}</t></is></c>'
    return f"<c {at}><v>{one.content:.15g}</v></c>"


def worksheet(sheet):
    columns = "".join(f'<col min="{i}" max="{i}" width="{width * CHARACTERS_PER_CM:.1f}" customWidth="1"/>'
                      for i, width in enumerate(sheet.widths_cm, 1))
    rows = "".join(f'<row r="{row}">{"".join(cell(one, column, row) for column, one in enumerate(cells))}</row>\n'
                   for row, cells in enumerate(sheet.rows, 1))
    return f'{HEADER}<worksheet xmlns="{MAIN}"><cols>{columns}</cols><sheetData>\n{rows}</sheetData></worksheet>'


def book_xml(book):
    sheets = "".join(f'<sheet{attributes(name=sheet.title)} sheetId="{i}" r:id="sheet{i}"/>' for i, sheet in enumerate(book.sheets, 1))
    names = "".join(f"<definedName name=\"{name}\">'{title}'!${column}${row}</definedName>"
                    for name, title, column, row in sorted(book.names))
    return (f'{HEADER}<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{sheets}</sheets>'
            f'<definedNames>{names}</definedNames><calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>')


def relations(*targets):
    entries = "".join(f'<Relationship Id="{name}" Type="{RELATIONS}/{kind}" Target="{target}"/>' for name, kind, target in targets)
    return f'{HEADER}<Relationships xmlns="{PACKAGE}/relationships">{entries}</Relationships>'


def write(book):
    files = [f"worksheets/sheet{i}.xml" for i in range(1, len(book.sheets) + 1)]
    kinds = [("workbook.xml", "sheet.main"), ("styles.xml", "styles")] + [(file, "worksheet") for file in files]
    overrides = "".join(f'<Override PartName="/xl/{file}" ContentType="{KIND}.{kind}+xml"/>' for file, kind in kinds)
    types = (f'{HEADER}<Types xmlns="{PACKAGE}/content-types">'
             '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
             f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>')
    parts = [("[Content_Types].xml", types), ("_rels/.rels", relations(("book", "officeDocument", "xl/workbook.xml"))),
             ("xl/_rels/workbook.xml.rels", relations(
                 ("styles", "styles", "styles.xml"),
                 *[(f"sheet{i}", "worksheet", file) for i, file in enumerate(files, 1)])),
             ("xl/workbook.xml", book_xml(book)), ("xl/styles.xml", styles())]
    return archive(parts + [(f"xl/{file}", worksheet(sheet)) for file, sheet in zip(files, book.sheets)])

"""xlsx.py - writes a workbook as Office Open XML."""
from xml.sax.saxutils import escape

from workbook import (CHART_COLOURS, HEAD_COLOUR, INPUT_COLOUR, LINK_COLOUR, ROOM, SMALL_COLOUR, STYLES, archive, attributes, letter,
                      rewritten)

HEADER = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OPEN = "application/vnd.openxmlformats-officedocument."
KIND = OPEN + "spreadsheetml"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"

# Functions of Excel 2013 carry this prefix in a file.
NEW_FUNCTIONS = {"WEBSERVICE", "ENCODEURL", "NUMBERVALUE"}

# A column is this much wider in characters than in centimetres.
CHARACTERS_PER_CM = 4.9

# bold, underlined, size, colour
FONTS = [("", "", 11, "000000"), ("<b/>", "", 11, "000000"), ("", "", 9, SMALL_COLOUR), ("", "<u/>", 11, LINK_COLOUR),
         ("<b/>", "", 16, "000000")]
FILLS = ['<patternFill patternType="none"/>', '<patternFill patternType="gray125"/>'] + [
    f'<patternFill patternType="solid"><fgColor rgb="FF{colour}"/></patternFill>' for colour in (HEAD_COLOUR, INPUT_COLOUR)]
WHOLE, CENTS = 3, 4  # the built-in formats #,##0 and #,##0.00
RIGHT, INDENTED = '<alignment horizontal="right"/>', '<alignment horizontal="left" indent="1"/>'
# style: font, fill, number format, alignment
LOOKS = {"text": (0, 0, 0, ""), "title": (4, 0, 0, ""), "head": (1, 2, 0, ""), "input": (0, 3, 0, RIGHT), "whole_input": (0, 3, WHOLE, RIGHT),
         "value": (1, 0, 0, RIGHT), "whole": (1, 0, WHOLE, RIGHT), "money": (1, 0, CENTS, RIGHT), "unit": (0, 0, 0, INDENTED),
         "small": (2, 0, 0, ""), "link": (3, 0, 0, RIGHT)}


def counted(tag, items):
    return f'<{tag} count="{len(items)}">{"".join(items)}</{tag}>'


def styles():
    fonts = [f'<font>{bold}{underlined}<sz val="{size}"/><color rgb="FF{colour}"/><name val="Calibri"/></font>'
             for bold, underlined, size, colour in FONTS]
    cells = [f'<xf numFmtId="{form}" fontId="{font}" fillId="{fill}" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"'
             f' applyAlignment="1">{alignment}</xf>' for font, fill, form, alignment in (LOOKS[style] for style in STYLES)]
    return (f'{HEADER}<styleSheet xmlns="{MAIN}">{counted("fonts", fonts)}'
            f'{counted("fills", [f"<fill>{fill}</fill>" for fill in FILLS])}'
            '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
            '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
            f'{counted("cellXfs", cells)}</styleSheet>')


def formula_text(formula):
    return rewritten(formula[1:], lambda first, end: f"{first}:{end}" if end else first,
                     lambda name: f"_xlfn.{name}" if name in NEW_FUNCTIONS else name, ",")


def cell(one, column, row):
    at = f'r="{letter(column)}{row}" s="{STYLES.index(one.style)}"'
    if one.formula:
        return f"<c {at}><f>{escape(formula_text(one.formula))}</f></c>"
    if one.content is None or one.content == "":
        return f"<c {at}/>"
    if isinstance(one.content, str):
        return f'<c {at} t="inlineStr"><is><t xml:space="preserve">{escape(one.content)}</t></is></c>{" " * ROOM if one.room else ""}'
    return f"<c {at}><v>{one.content:.15g}</v></c>"


def validations(sheet):
    lists = [(one.choices, f"{letter(column)}{row}") for row, cells in enumerate(sheet.rows, 1) for column, one in enumerate(cells) if one.choices]
    entries = [f'<dataValidation type="list" allowBlank="1" showErrorMessage="0" sqref="{at}"><formula1>{name}</formula1></dataValidation>'
               for name, at in lists]
    return counted("dataValidations", entries) if entries else ""


def worksheet(sheet):
    fit = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>' if sheet.printed else ""
    columns = "".join(f'<col min="{i}" max="{i}" width="{width * CHARACTERS_PER_CM:.1f}" customWidth="1"'
                      f'{" hidden=" + chr(34) + "1" + chr(34) if letter(i - 1) in sheet.hidden_columns else ""}/>'
                      for i, width in enumerate(sheet.widths_cm, 1))
    rows = "".join(f'<row r="{row}">{"".join(cell(one, column, row) for column, one in enumerate(cells) if one.shown)}</row>\n'
                   for row, cells in enumerate(sheet.rows, 1))
    page = '<pageSetup paperSize="9" orientation="portrait" fitToWidth="1" fitToHeight="1"/>' if sheet.printed else ""
    drawing = '<drawing r:id="drawing"/>' if sheet.charts else ""
    return (f'{HEADER}<worksheet xmlns="{MAIN}" xmlns:r="{RELATIONS}">{fit}<cols>{columns}</cols><sheetData>\n{rows}</sheetData>'
            f"{validations(sheet)}{page}{drawing}</worksheet>")


def book_xml(book):
    sheets = "".join(f'<sheet{attributes(name=sheet.title)} sheetId="{i}"{attributes(state="hidden") if sheet.hidden else ""} r:id="sheet{i}"/>'
                     for i, sheet in enumerate(book.sheets, 1))
    names = [(name, "", f"'{title}'!${column}${row}" + (f":${column}${row + rows - 1}" if rows > 1 else ""))
             for name, title, column, row, rows in book.names]
    names += [("_xlnm.Print_Area", attributes(localSheetId=i), f"'{sheet.title}'!$A$1:${sheet.printed}${len(sheet.rows)}")
              for i, sheet in enumerate(book.sheets) if sheet.printed]
    defined = "".join(f'<definedName name="{name}"{local}>{at}</definedName>' for name, local, at in sorted(names))
    return (f'{HEADER}<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{sheets}</sheets>'
            f'<definedNames>{defined}</definedNames><calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>')


def drawing(chart, width):
    """The frame of a chart: over the printed columns, from its row on."""
    corner = "<xdr:{0}><xdr:col>{1}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{2}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:{0}>"
    return (f'{HEADER}<xdr:wsDr xmlns:xdr="{DRAWING}/spreadsheetDrawing" xmlns:a="{DRAWING}/main"><xdr:twoCellAnchor>'
            f'{corner.format("from", 0, chart.at - 1)}{corner.format("to", width, chart.at + chart.rows - 1)}'
            f'<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2"{attributes(name=chart.title)}/><xdr:cNvGraphicFramePr/>'
            '</xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic>'
            f'<a:graphicData uri="{DRAWING}/chart"><c:chart xmlns:c="{DRAWING}/chart" xmlns:r="{RELATIONS}" r:id="chart"/></a:graphicData>'
            "</a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>")


def chart_text(text, size):
    return (f'<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="{size}" b="0"/></a:pPr><a:r><a:rPr lang="en" sz="{size}" b="0"/>'
            f'<a:t>{escape(text)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>')


def series(chart, k):
    first, column = letter(ord(chart.column) - ord("A")), letter(ord(chart.column) - ord("A") + k + 1)
    at = f"'{chart.sheet}'!${{0}}$2:${{0}}${chart.points + 1}"
    fill = f'<a:solidFill><a:srgbClr val="{CHART_COLOURS[k]}"/></a:solidFill>'
    line = f'<a:ln w="28575">{fill}</a:ln>' if chart.kind == "line" else fill
    categories = "numRef" if chart.kind == "line" else "strRef"
    return (f'<c:ser><c:idx val="{k}"/><c:order val="{k}"/><c:tx><c:strRef><c:f>\'{chart.sheet}\'!${column}$1</c:f></c:strRef></c:tx>'
            f'<c:spPr>{line}</c:spPr>{"<c:marker><c:symbol val=" + chr(34) + "none" + chr(34) + "/></c:marker>" if chart.kind == "line" else ""}'
            f"<c:cat><c:{categories}><c:f>{at.format(first)}</c:f></c:{categories}></c:cat>"
            f"<c:val><c:numRef><c:f>{at.format(column)}</c:f></c:numRef></c:val></c:ser>")


def chart_part(chart):
    lines = chart.kind == "line"
    all_series = "".join(series(chart, k) for k in range(chart.series))
    kind = (f'<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>{all_series}<c:marker val="0"/><c:axId val="1"/><c:axId val="2"/></c:lineChart>'
            if lines else f'<c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/>{all_series}'
            '<c:gapWidth val="60"/><c:axId val="1"/><c:axId val="2"/></c:barChart>')
    # Bars run from the top down; months are labelled by years.
    order, across, up = ("minMax", "b", "l") if lines else ("maxMin", "l", "t")
    skip = '<c:tickLblSkip val="12"/><c:tickMarkSkip val="12"/>' if lines else ""
    axes = (f'<c:catAx><c:axId val="1"/><c:scaling><c:orientation val="{order}"/></c:scaling><c:delete val="0"/><c:axPos val="{across}"/>'
            f'{chart_text(chart.axis, 900) if lines else ""}<c:numFmt formatCode="General" sourceLinked="0"/><c:tickLblPos val="low"/><c:crossAx val="2"/>{skip}</c:catAx>'
            f'<c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="{up}"/><c:majorGridlines/>'
            f'{"" if lines else chart_text(chart.axis, 900)}<c:numFmt formatCode="#,##0" sourceLinked="0"/><c:crossAx val="1"/></c:valAx>')
    legend = '<c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend>' if chart.series > 1 else ""
    return (f'{HEADER}<c:chartSpace xmlns:c="{DRAWING}/chart" xmlns:a="{DRAWING}/main"><c:roundedCorners val="0"/><c:chart>{chart_text(chart.title, 1200)}'
            f'<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>{kind}{axes}</c:plotArea>{legend}<c:plotVisOnly val="0"/>'
            '<c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>')


def relations(*targets):
    entries = "".join(f'<Relationship Id="{name}" Type="{RELATIONS}/{kind}" Target="{target}"/>' for name, kind, target in targets)
    return f'{HEADER}<Relationships xmlns="{PACKAGE}/relationships">{entries}</Relationships>'


def chart_parts(book):
    """(path, kind, text) of the frames and charts, and of what leads from a sheet to them."""
    for i, (chart, sheet) in enumerate(book.charts, 1):
        at = book.sheets.index(sheet) + 1
        yield f"xl/drawings/drawing{i}.xml", f"{OPEN}drawing+xml", drawing(chart, ord(sheet.printed) - ord("A") + 1)
        yield f"xl/charts/chart{i}.xml", f"{OPEN}drawingml.chart+xml", chart_part(chart)
        yield f"xl/worksheets/_rels/sheet{at}.xml.rels", None, relations(("drawing", "drawing", f"../drawings/drawing{i}.xml"))
        yield f"xl/drawings/_rels/drawing{i}.xml.rels", None, relations(("chart", "chart", f"../charts/chart{i}.xml"))


def write(book):
    files = [f"worksheets/sheet{i}.xml" for i in range(1, len(book.sheets) + 1)]
    charts = list(chart_parts(book))
    kinds = [("xl/workbook.xml", f"{KIND}.sheet.main+xml"), ("xl/styles.xml", f"{KIND}.styles+xml")]
    kinds += [(f"xl/{file}", f"{KIND}.worksheet+xml") for file in files] + [(path, kind) for path, kind, _ in charts if kind]
    overrides = "".join(f'<Override PartName="/{path}" ContentType="{kind}"/>' for path, kind in kinds)
    types = (f'{HEADER}<Types xmlns="{PACKAGE}/content-types">'
             '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
             f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>')
    parts = [("[Content_Types].xml", types), ("_rels/.rels", relations(("book", "officeDocument", "xl/workbook.xml"))),
             ("xl/_rels/workbook.xml.rels", relations(
                 ("styles", "styles", "styles.xml"),
                 *[(f"sheet{i}", "worksheet", file) for i, file in enumerate(files, 1)])),
             ("xl/workbook.xml", book_xml(book)), ("xl/styles.xml", styles())]
    return archive(parts + [(f"xl/{file}", worksheet(sheet)) for file, sheet in zip(files, book.sheets)]
                   + [(path, text) for path, _, text in charts])

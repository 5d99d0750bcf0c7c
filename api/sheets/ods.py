"""ods.py - writes a workbook as OpenDocument 1.3."""
from xml.sax.saxutils import escape

from workbook import (CHART_COLOURS, HEAD_COLOUR, INPUT_COLOUR, LINK_COLOUR, ROOM, SMALL_COLOUR, archive, attributes, letter,
                      rewritten)

TYPE = "application/vnd.oasis.opendocument.spreadsheet"
HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACES = attributes(**{f"xmlns:{name}": f"urn:oasis:names:tc:opendocument:xmlns:{full}:1.0" for name, full in [
    ("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"), ("number", "datastyle"),
    ("fo", "xsl-fo-compatible"), ("svg", "svg-compatible"), ("draw", "drawing"), ("chart", "chart")]}
    | {"xmlns:of": "urn:oasis:names:tc:opendocument:xmlns:of:1.2", "xmlns:xlink": "http://www.w3.org/1999/xlink"})

# Functions that OpenFormula leaves to the programs.
OWN_NAMES = {"WEBSERVICE": "COM.MICROSOFT.WEBSERVICE", "ENCODEURL": "COM.MICROSOFT.ENCODEURL"}

STYLES = f"""
<number:number-style style:name="cents"><number:number number:decimal-places="2" number:min-decimal-places="2"
 number:min-integer-digits="1" number:grouping="true"/></number:number-style>
<number:number-style style:name="grouped"><number:number number:decimal-places="0" number:min-integer-digits="1"
 number:grouping="true"/></number:number-style>
<style:style style:name="title" style:family="table-cell"><style:text-properties fo:font-size="16pt" fo:font-weight="bold"/></style:style>
<style:style style:name="head" style:family="table-cell"><style:table-cell-properties fo:background-color="#{HEAD_COLOUR}"/>
<style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="input" style:family="table-cell"><style:table-cell-properties fo:background-color="#{INPUT_COLOUR}"
 style:text-align-source="fix"/><style:paragraph-properties fo:text-align="end"/></style:style>
<style:style style:name="whole_input" style:family="table-cell" style:data-style-name="grouped"><style:table-cell-properties
 fo:background-color="#{INPUT_COLOUR}" style:text-align-source="fix"/><style:paragraph-properties fo:text-align="end"/></style:style>
<style:style style:name="unit" style:family="table-cell"><style:table-cell-properties style:text-align-source="fix"/>
<style:paragraph-properties fo:text-align="start" fo:margin-left="0.2cm"/></style:style>
"""
# Bold and to the right: figures of any kind, whole ones, amounts.
STYLES += "".join(f"""<style:style style:name="{name}" style:family="table-cell"{data}><style:table-cell-properties
 style:text-align-source="fix"/><style:paragraph-properties fo:text-align="end"/><style:text-properties fo:font-weight="bold"/></style:style>
""" for name, data in (("value", ""), ("whole", ' style:data-style-name="grouped"'), ("money", ' style:data-style-name="cents"')))
STYLES += f"""<style:style style:name="small" style:family="table-cell"><style:text-properties fo:font-size="8pt" fo:color="#{SMALL_COLOUR}"/></style:style>
<style:style style:name="link" style:family="table-cell"><style:table-cell-properties style:text-align-source="fix"/>
<style:paragraph-properties fo:text-align="end"/><style:text-properties fo:color="#{LINK_COLOUR}"/></style:style>
<style:style style:name="shown" style:family="table" style:master-page-name="one-page"><style:table-properties table:display="true"/></style:style>
<style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style>
"""

# A4, a sheet to a page.
PAGES = f"""{HEADER}<office:document-styles{NAMESPACES} office:version="1.3"><office:automatic-styles>
<style:page-layout style:name="one-page"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm"
 style:print-orientation="portrait" style:scale-to-pages="1" fo:margin="1.5cm"/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="one-page" style:page-layout-name="one-page"/></office:master-styles>
</office:document-styles>"""


def reference(first, end):
    return f"[.{first}:.{end}]" if end else f"[.{first}]"


def formula_attribute(formula):
    return "of:" + rewritten(formula, reference, lambda name: OWN_NAMES.get(name, name), ";")


def cell(one):
    style = "" if one.style == "text" else attributes(**{"table:style-name": one.style})
    if one.choices:
        style += attributes(**{"table:content-validation-name": one.choices})
    if one.formula:
        return f"<table:table-cell{style}{attributes(**{'table:formula': formula_attribute(one.formula)})}/>"
    if one.content is None or one.content == "":
        return f"<table:table-cell{style}/>"
    if isinstance(one.content, str):
        text = f'<table:table-cell{style} office:value-type="string"><text:p>{escape(one.content)}</text:p></table:table-cell>'
        return text + " " * ROOM if one.room else text
    return f'<table:table-cell{style} office:value-type="float" office:value="{one.content:.15g}"/>'


def table(book, sheet):
    hidden = attributes(**{"table:visibility": "collapse"})
    columns = "".join(f'<table:table-column{attributes(**{"table:style-name": f"width{width}"})}{hidden if letter(k) in sheet.hidden_columns else ""}/>'
                      for k, width in enumerate(sheet.widths_cm))
    frames = {chart.at: frame(chart, sheet, book.charts.index((chart, sheet)) + 1) for chart in sheet.charts}
    rows = "".join(f"<table:table-row>{row_cells(row, frames.get(at, ''))}</table:table-row>\n" for at, row in enumerate(sheet.rows, 1))
    printed = {"table:print-ranges": f"'{sheet.title}'.A1:'{sheet.title}'.{sheet.printed}{len(sheet.rows)}"} if sheet.printed else {}
    about = attributes(**{"table:name": sheet.title, "table:style-name": "hidden" if sheet.hidden else "shown"} | printed)
    return f"<table:table{about}>{columns}\n{rows}</table:table>"


def row_cells(row, frame_text):
    if frame_text:
        return f"<table:table-cell>{frame_text}</table:table-cell>"
    return "".join(map(cell, row)) or "<table:table-cell/>"


def frame(chart, sheet, number):
    """Over the printed columns, from its row on."""
    end = f"'{sheet.title}'.{letter(ord(sheet.printed) - ord('A') + 1)}{chart.at + chart.rows - 1}"
    width = round(sum(sheet.widths_cm[:ord(sheet.printed) - ord("A") + 1]), 2)
    return (f'<draw:frame{attributes(**{"draw:name": chart.title, "table:end-cell-address": end, "table:end-x": "0cm", "table:end-y": "0.4cm"})}'
            f' svg:x="0cm" svg:y="0cm" svg:width="{width}cm" svg:height="{chart.rows * 0.45}cm">'
            f'<draw:object xlink:href="./Object {number}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>')


def named(name, title, column, row, rows):
    base = f"$'{title}'.${column}${row}"
    address = base + (f":.${column}${row + rows - 1}" if rows > 1 else "")
    return f"<table:named-range{attributes(**{'table:name': name, 'table:base-cell-address': base, 'table:cell-range-address': address})}/>"


def validations(book):
    """One for each list that cells are chosen from."""
    lists = sorted({one.choices for sheet in book.sheets for row in sheet.rows for one in row if one.choices})
    return "".join(f"<table:content-validation{attributes(**{'table:name': name, 'table:condition': f'of:cell-content-is-in-list({name})'})}"
                   ' table:allow-empty-cell="true" table:display-list="unsorted"><table:error-message table:display="false"/>'
                   "</table:content-validation>" for name in lists)


def content(book):
    widths = sorted({width for sheet in book.sheets for width in sheet.widths_cm})
    columns = "".join(f'<style:style style:name="width{width}" style:family="table-column">'
                      f'<style:table-column-properties style:column-width="{width}cm"/></style:style>' for width in widths)
    return (f'{HEADER}<office:document-content{NAMESPACES} office:version="1.3"><office:automatic-styles>{STYLES}{columns}'
            '</office:automatic-styles><office:body><office:spreadsheet><table:calculation-settings table:use-regular-expressions="false"/>'
            f"<table:content-validations>{validations(book)}</table:content-validations>{''.join(table(book, sheet) for sheet in book.sheets)}"
            f"<table:named-expressions>{''.join(named(*one) for one in book.names)}</table:named-expressions>"
            "</office:spreadsheet></office:body></office:document-content>")


def chart_styles(chart):
    series = "".join(f'<style:style style:name="series{k}" style:family="chart"><style:chart-properties chart:symbol-type="none"/>'
                     f'<style:graphic-properties draw:stroke="solid" svg:stroke-width="0.08cm" svg:stroke-color="#{colour}" draw:fill="solid" draw:fill-color="#{colour}"/>'
                     "</style:style>" for k, colour in enumerate(CHART_COLOURS))
    bars = chart.kind == "bar"
    return (f'{series}<style:style style:name="bare" style:family="chart"><style:graphic-properties draw:stroke="none" draw:fill="solid" draw:fill-color="#ffffff"/></style:style>'
            '<style:style style:name="grid" style:family="chart"><style:graphic-properties svg:stroke-color="#cccccc"/></style:style>'
            '<style:style style:name="plot" style:family="chart"><style:chart-properties chart:include-hidden-cells="true"'
            f' chart:vertical="{"true" if bars else "false"}"/></style:style><style:style style:name="categories" style:family="chart">'
            f'<style:chart-properties chart:display-label="true" chart:reverse-direction="{"true" if bars else "false"}"/></style:style>'
            '<style:style style:name="values" style:family="chart"><style:chart-properties chart:display-label="true" chart:link-data-style-to-source="false"/></style:style>')


def chart_part(chart, sheet):
    def at(k, first, last):
        column = letter(ord(chart.column) - ord("A") + k)
        return f"'{chart.sheet}'.${column}${first}:'{chart.sheet}'.${column}${last}"
    lines = chart.kind == "line"
    kind = "chart:line" if lines else "chart:bar"
    titled = f"<chart:title><text:p>{escape(chart.axis)}</text:p></chart:title>"
    series = "".join(f'<chart:series chart:style-name="series{k}" chart:class="{kind}"'
                     f'{attributes(**{"chart:values-cell-range-address": at(k + 1, 2, chart.points + 1), "chart:label-cell-address": at(k + 1, 1, 1)})}/>'
                     for k in range(chart.series))
    categories = attributes(**{"table:cell-range-address": at(0, 2, chart.points + 1)})
    legend = '<chart:legend chart:style-name="bare" chart:legend-position="bottom"/>' if chart.series > 1 else ""
    width = round(sum(sheet.widths_cm[:ord(sheet.printed) - ord("A") + 1]), 2)
    return (f'{HEADER}<office:document-content{NAMESPACES} office:version="1.3"><office:automatic-styles>{chart_styles(chart)}'
            f'</office:automatic-styles><office:body><office:chart><chart:chart chart:style-name="bare" chart:class="{kind}" svg:width="{width}cm" svg:height="{chart.rows * 0.45}cm">'
            f'<chart:title><text:p>{escape(chart.title)}</text:p></chart:title>{legend}<chart:plot-area chart:style-name="plot">'
            f'<chart:axis chart:dimension="x" chart:name="primary-x" chart:style-name="categories">{titled if lines else ""}<chart:categories{categories}/></chart:axis>'
            f'<chart:axis chart:dimension="y" chart:name="primary-y" chart:style-name="values">{"" if lines else titled}<chart:grid chart:style-name="grid" chart:class="major"/></chart:axis>'
            f'{series}<chart:wall chart:style-name="bare"/></chart:plot-area></chart:chart></office:chart></office:body></office:document-content>')


def write(book):
    charts = [(f"Object {i}/", chart_part(*each)) for i, each in enumerate(book.charts, 1)]
    files = [("content.xml", content(book)), ("styles.xml", PAGES)] + [(f"{path}content.xml", text) for path, text in charts]
    kinds = ([("/", TYPE)] + [(path, "text/xml") for path, _ in files]
             + [(path, "application/vnd.oasis.opendocument.chart") for path, _ in charts])
    entries = "".join(f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}"/>' for path, kind in kinds)
    manifest = (f'{HEADER}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
                f' manifest:version="1.3">{entries}</manifest:manifest>')
    return archive([("mimetype", TYPE), ("META-INF/manifest.xml", manifest)] + files)

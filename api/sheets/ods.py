"""ods.py - writes a workbook as OpenDocument 1.3."""
from xml.sax.saxutils import escape

from workbook import HEAD_COLOUR, INPUT_COLOUR, LINK_COLOUR, SMALL_COLOUR, archive, attributes, rewritten

TYPE = "application/vnd.oasis.opendocument.spreadsheet"
HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACES = attributes(**{f"xmlns:{name}": f"urn:oasis:names:tc:opendocument:xmlns:{full}:1.0" for name, full in [
    ("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"), ("number", "datastyle"),
    ("fo", "xsl-fo-compatible")]} | {"xmlns:of": "urn:oasis:names:tc:opendocument:xmlns:of:1.2"})

# Functions that OpenFormula leaves to the programs.
OWN_NAMES = {"WEBSERVICE": "COM.MICROSOFT.WEBSERVICE", "ENCODEURL": "COM.MICROSOFT.ENCODEURL"}

STYLES = f"""
<number:number-style style:name="cents"><number:number number:decimal-places="2" number:min-decimal-places="2"
 number:min-integer-digits="1" number:grouping="true"/></number:number-style>
<style:style style:name="title" style:family="table-cell"><style:text-properties fo:font-size="16pt" fo:font-weight="bold"/></style:style>
<style:style style:name="head" style:family="table-cell"><style:table-cell-properties fo:background-color="#{HEAD_COLOUR}"/>
<style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="input" style:family="table-cell"><style:table-cell-properties fo:background-color="#{INPUT_COLOUR}"/></style:style>
<style:style style:name="value" style:family="table-cell"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="money" style:family="table-cell" style:data-style-name="cents"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="small" style:family="table-cell"><style:text-properties fo:font-size="8pt" fo:color="#{SMALL_COLOUR}"/></style:style>
<style:style style:name="link" style:family="table-cell"><style:text-properties fo:color="#{LINK_COLOUR}"/></style:style>
"""


def reference(first, end):
    return f"[.{first}:.{end}]" if end else f"[.{first}]"


def formula_attribute(formula):
    return "of:" + rewritten(formula, reference, lambda name: OWN_NAMES.get(name, name), ";")


def cell(one):
    style = "" if one.style == "text" else attributes(**{"table:style-name": one.style})
    if one.formula:
        return f"<table:table-cell{style}{attributes(**{'table:formula': formula_attribute(one.formula)})}/>"
    if one.content is None or one.content == "":
        return f"<table:table-cell{style}/>"
    if isinstance(one.content, str):
        return f'<table:table-cell{style} office:value-type="string"><text:p>{escape(one.content)}</text:p></table:table-cell>'
    return f'<table:table-cell{style} office:value-type="float" office:value="{one.content:.15g}"/>'


def table(sheet):
    columns = "".join(f'<table:table-column{attributes(**{"table:style-name": f"width{width}"})}/>' for width in sheet.widths_cm)
    rows = "".join(f"<table:table-row>{''.join(map(cell, row)) or '<table:table-cell/>'}</table:table-row>\n" for row in sheet.rows)
    return f"<table:table{attributes(**{'table:name': sheet.title})}>{columns}\n{rows}</table:table>"


def named(name, title, column, row):
    address = f"$'{title}'.${column}${row}"
    return f"<table:named-range{attributes(**{'table:name': name, 'table:base-cell-address': address, 'table:cell-range-address': address})}/>"


def content(book):
    widths = sorted({width for sheet in book.sheets for width in sheet.widths_cm})
    columns = "".join(f'<style:style style:name="width{width}" style:family="table-column">'
                      f'<style:table-column-properties style:column-width="{width}cm"/></style:style>' for width in widths)
    return (f'{HEADER}<office:document-content{NAMESPACES} office:version="1.3"><office:automatic-styles>{STYLES}{columns}'
            f"</office:automatic-styles><office:body><office:spreadsheet>{''.join(map(table, book.sheets))}"
            f"<table:named-expressions>{''.join(named(*one) for one in book.names)}</table:named-expressions>"
            "</office:spreadsheet></office:body></office:document-content>")


def write(book):
    entries = "".join(f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}"/>'
                      for path, kind in [("/", TYPE), ("content.xml", "text/xml")])
    manifest = (f'{HEADER}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
                f' manifest:version="1.3">{entries}</manifest:manifest>')
    return archive([("mimetype", TYPE), ("META-INF/manifest.xml", manifest), ("content.xml", content(book))])

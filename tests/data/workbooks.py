"""Workbooks as people publish them."""

import openpyxl


def workbook(path, *lines, **sheets):
    """Write lines of cells as the only sheet, or as the sheets of these titles."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, of_sheet in (sheets or {"Sheet": lines}).items():
        sheet = book.create_sheet(title)
        for line in of_sheet:
            sheet.append(line)
    book.save(path)
    return path

/* table.h - declares a struct and its field table from one .def:
 *
 *     #define TABLE gpu_row
 *     #define TABLE_FILE "api/catalog/gpu_row.def"
 *     #include "base/field/table.h"
 *
 * declares struct gpu_row and defines gpu_row_fields, a static struct fields. If the struct is
 * declared elsewhere (base/field/members.h), define TABLE_ONLY too. No include guard, on purpose.
 */
#ifndef FIELD_TABLE_PASTE
#define FIELD_TABLE_PASTE(a, b) FIELD_TABLE_PASTE_(a, b)
#define FIELD_TABLE_PASTE_(a, b) a##b
#endif

#ifndef TABLE_ONLY
struct TABLE {
#include "base/field/members.h"
#include TABLE_FILE
#include "base/field/end.h"
};
#endif

static const struct field FIELD_TABLE_PASTE(TABLE, _rows)[] = {
#define FIELDS_OF struct TABLE
#include "base/field/rows.h"
#include TABLE_FILE
#include "base/field/end.h"
};
static const struct fields
    FIELD_TABLE_PASTE(TABLE, _fields) = FIELDS_INIT(FIELD_TABLE_PASTE(TABLE, _rows));

#undef TABLE
#undef TABLE_FILE
#undef TABLE_ONLY

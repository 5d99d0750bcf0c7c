/* measurement.h - a published run: what was run, what was measured, and where it is printed. */
#ifndef CATALOG_MEASUREMENT_H
#define CATALOG_MEASUREMENT_H

struct measurement {
#define MEASUREMENT_TEXT(name) const char *name;
#define MEASUREMENT_NUMBER(name) double name;
#include "catalog/measurement.def"
#undef MEASUREMENT_TEXT
#undef MEASUREMENT_NUMBER
    const char *url, *published, *licence; /* of the source; "": not known */
};

#endif

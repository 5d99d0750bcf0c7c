/* sensitivity_axis.h - the varied inputs of a sensitivity analysis, and their values. */
#ifndef API_ANALYSIS_SENSITIVITY_AXIS_H
#define API_ANALYSIS_SENSITIVITY_AXIS_H

#include "api/analysis/sensitivity_run.h"

/* Find the inputs that the request varies, at most AXES_MAX. */
bool sensitivity_axes_find(struct sensitivity_run *run, struct err *err) MUST_CHECK;
/* Set their ends and steps: as given, else around the values used. */
bool sensitivity_axes_settle(struct sensitivity_run *run, struct err *err) MUST_CHECK;
bool sensitivity_axis_is_whole(const struct sensitivity_axis *axis);
double sensitivity_axis_value(const struct sensitivity_axis *axis, size_t i);
/* True if both ends of every axis were given. */
bool sensitivity_axes_are_spanned(const struct sensitivity_run *run);

#endif

/* sensitivity_chart.h - charts of a sensitivity analysis, and the choice of the charted figure. */
#ifndef API_ANALYSIS_SENSITIVITY_CHART_H
#define API_ANALYSIS_SENSITIVITY_CHART_H

#include "api/analysis/sensitivity_run.h"

/* Refuse a figure with no known value. */
bool sensitivity_check_figure(struct sensitivity_run *run, struct err *err) MUST_CHECK;
/* The requested figure, if `columns` has its name with `behind` appended, else the resource's first
 * known figure. */
const char *sensitivity_figure_name(const struct sensitivity_run *run, struct fields columns,
                                    const char *behind);

/* Set up the .svg chart of the first table. */
void sensitivity_chart_points(struct sensitivity_run *run);
void sensitivity_chart_cells(struct sensitivity_run *run, const char *figure);
void sensitivity_chart_effects(struct sensitivity_run *run, const struct request_context *middle);

#endif

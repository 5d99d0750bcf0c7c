/* root.h - finds a root of a continuous function in an interval by the Illinois variant of false
 * position (Dowell and Jarratt, 1971), which halves the function value at an end that is retained
 * twice.
 *
 *     struct root root = {low, high, at_low, at_high, 0};   at_low, at_high of opposite sign
 *     while (root.high - root.low > tolerance) {
 *         double x = root_guess(&root);
 *         root_narrow(&root, x, f(x));
 *     }
 */
#ifndef BASE_ROOT_H
#define BASE_ROOT_H

struct root {
    double low, high, at_low, at_high;
    int stayed; /* end retained by the last step: 1 low, -1 high */
};

static inline double root_guess(const struct root *root)
{
    return (root->low * root->at_high - root->high * root->at_low) / (root->at_high - root->at_low);
}

static inline void root_narrow(struct root *root, double x, double at_x)
{
    if ((at_x > 0) == (root->at_high > 0)) {
        root->high = x;
        root->at_high = at_x;
        root->at_low /= root->stayed == 1 ? 2 : 1;
        root->stayed = 1;
    } else {
        root->low = x;
        root->at_low = at_x;
        root->at_high /= root->stayed == -1 ? 2 : 1;
        root->stayed = -1;
    }
}

#endif

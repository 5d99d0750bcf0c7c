#!/bin/bash
# run.sh - PROGRAM [ARGUMENT...] under valgrind: exits with 99 where it reads what nobody wrote, goes
# beyond its memory or has lost some of it at its end. With WATCHED, the daemon, all words
# are its arguments, so that this stands in for it as GPUPLAN_BINARY.
exec valgrind --quiet --error-exitcode=99 --leak-check=full \
    --show-leak-kinds=definite,indirect \
    --errors-for-leak-kinds=definite,indirect --num-callers=25 --child-silent-after-fork=yes \
    ${WATCHED:+"$WATCHED"} "$@"

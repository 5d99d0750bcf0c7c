#!/bin/bash
# options.sh - service/settings/conf.def, --help and every file that names a setting say the same.
set -euo pipefail
cd "$(dirname "$0")/../.."

daemon=${GPUPLAN_BINARY:-build/release/gpuplan}
# Variables of the tests and of docker-compose.yml, which the daemon does not know.
others='GPUPLAN_BINARY GPUPLAN_DB_HOSTS GPUPLAN_DB_PASSWORD GPUPLAN_FETCH_PASSWORD GPUPLAN_NETWORK GPUPLAN_READER_PASSWORD GPUPLAN_TLS GPUPLAN_UPDATE_EXAMPLES'
bad=0

complain() {
    echo "options.sh: $1" >&2
    bad=1
}

options=$(sed -nE 's/^OPTION\([a-z_]+, "([A-Z_]+)", "[^"]*", "[^"]*"\)$/\1/p' service/settings/conf.def)
[ "$(grep -c '^OPTION(' service/settings/conf.def)" = "$(wc -l <<<"$options")" ] ||
    complain 'service/settings/conf.def has a row that is not read as OPTION(member, "VARIABLE", "default", "sentence")'

help=''
if [ -x "$daemon" ]; then
    help=$("$daemon" --help)
else
    echo "options.sh: no $daemon yet, so --help is not compared"
fi

while read -r variable; do
    [ -z "$help" ] || grep -qF -e "  $variable " <<<"$help" || complain "--help lacks $variable"
done <<<"$options"

known=" $(tr '\n' ' ' <<<"$options") $others "
while IFS=: read -r file variable; do
    [[ $known == *" $variable "* ]] || complain "$file names $variable, which is no setting"
done < <(git ls-files -co --exclude-standard | grep -v '^tests/' |
    xargs grep -oHE '\bGPUPLAN_[A-Z_]+\b' | sort -u)
exit "$bad"

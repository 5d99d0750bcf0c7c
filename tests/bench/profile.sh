#!/bin/bash
# profile.sh - instructions per request of the estimates, counted by callgrind on a throw-away
# cluster; the profiles stay in the folder it names. Counts do not depend on the machine's load.
# Each request has another number where its question says @.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "${1:-}" != inside ]; then
    exec sql/private.sh tmp -- "$0" inside
fi

requests=20
port=${PROFILE_PORT:-9399}
dir=$(mktemp -d /tmp/gpuplan-profile.XXXXXX)
buy='gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&rent_price_per_gpu_hour=3.@&horizon_months=36'
train='model=llama-2-70b&gpu=a100-sxm4-80gb&gpu_count=2048&tokens=2.@e12'
cluster="$train&sequence_tokens=2@"
pinned="$train&tensor_parallel=8&pipeline_parallel=4&micro_batch_sequences=1&zero_stage=1&recompute=selective"
serve='model=llama-2-70b&gpu=h100-sxm5-80gb&requests_per_minute=1@&input_tokens=512&output_tokens=200'

sql/migrate.sh >/dev/null
GPUPLAN_LISTEN=127.0.0.1:$port GPUPLAN_ADMIN_LISTEN=127.0.0.1:0 \
    valgrind --quiet --tool=callgrind --instr-atstart=no --callgrind-out-file="$dir/out" \
    "${GPUPLAN_BINARY:-build/release/gpuplan}" 2>"$dir/log" &
daemon=$!
trap 'kill $daemon' EXIT

tell() {
    callgrind_control "$@" "$daemon" >/dev/null 2>&1
}

asked=100 # three digits
# ask ADDRESS TIMES [curl's options for a body]
ask() {
    local address="http://127.0.0.1:$port$1" times=$2 list=()
    shift 2
    for _ in $(seq "$times"); do
        asked=$((asked + 1))
        list+=(--next -s -o /dev/null "${@//@/$asked}" "${address//@/$asked}")
    done
    curl "${list[@]:1}"
}

count() { # count NAME ADDRESS [options]
    local name=$1 address=$2
    shift 2
    ask "$address" 8 "$@" # each worker has seen some
    tell -i on
    tell -z
    ask "$address" $requests "$@"
    tell -d "$name"
    tell -i off
    mv "$(find "$dir" -name 'out.*' | sort -V | tail -n 1)" "$dir/$name"
    callgrind_annotate --auto=no --threshold=100 "$dir/$name" | awk -v n=$requests -v name="$name" '
        { gsub(",", "", $1) }
        /PROGRAM TOTALS/ { all = $1 }
        /:__mem(set|cpy|move)_/ { bytes += $1 }
        END { printf "| %s | %.0f |\n", name, (all - bytes) / n / 1000 }'
}

# inside NAME FUNCTION: the part of the requests counted as NAME that FUNCTION and what it calls take
inside() {
    callgrind_annotate --auto=no --threshold=100 --inclusive=yes "$dir/$1" |
        awk -v n=$requests -v what="$1, $2" -v name="$2" '
        $0 ~ ":" name "( |$)" { gsub(",", "", $1); found = $1 }
        END { printf "| %s | %.1f |\n", what, found / n / 1000 }'
}

curl -s --retry 100 --retry-connrefused --retry-delay 1 -o /dev/null "http://127.0.0.1:$port/v1"
echo "profiles: $dir; thousands of instructions a request, without the zeroing" \
    "and copying of memory, which callgrind counts by the byte"
count not_found /v1/nothing@
for format in json csv txt; do
    count "break_even_$format" "/v1/break-even.$format?$buy"
    count "training_plan_$format" "/v1/training-plan.$format?$train"
    count "training_plan_cluster_$format" "/v1/training-plan.$format?$cluster"
    count "training_plan_pinned_$format" "/v1/training-plan.$format?$pinned"
    count "inference_sizing_$format" "/v1/inference-sizing.$format?$serve"
done
for name in break-even training-plan inference-sizing; do
    count "${name//-/_}_post" "/v1/$name" -H 'Content-Type: application/json' \
        -d "$(/usr/bin/python3 -c 'import json, re, sys, urllib.parse
def typed(text):
    try:
        return float(text)
    except ValueError:
        return text
body = json.dumps({k: typed(v) for k, v in urllib.parse.parse_qsl(sys.argv[1])})
print(re.sub("\"([^\"]*@[^\"]*)\"", r"\1", body))' \
            "$(case $name in break*) echo "$buy" ;; train*) echo "$train" ;; *) echo "$serve" ;; esac)")"
done

# Published runs near a question, and an own run that corrects it.
run="$serve&measured_time_per_output_token_seconds=0.0@&measured_concurrent_requests=32"
count inference_sizing_own_run "/v1/inference-sizing.json?$run&measured_tensor_parallel=4"
count training_plan_own_run "/v1/training-plan.json?$pinned&measured_step_seconds=3@&measured_global_batch_sequences=2048"
inside inference_sizing_json nearest_find
inside training_plan_pinned_json nearest_find
inside inference_sizing_own_run correction_of_serving
inside inference_sizing_own_run carry_over
inside training_plan_own_run correction_of_training
inside training_plan_own_run carry_over

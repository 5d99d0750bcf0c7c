-- requests.lua - wrk asks what a file says, line by line and round again:
--     METHOD <tab> target <tab> header lines, separated by | <tab> body
-- and says at the end what came of it, as names and numbers.
local ready, next_one = {}, 0

function init(args)
    for line in io.lines(args[1]) do
        local method, target, lines, body = line:match("^(.-)\t(.-)\t(.-)\t(.*)$")
        local headers = {}
        for name, value in lines:gmatch("([^|:]+): ([^|]+)") do
            headers[name] = value
        end
        ready[#ready + 1] = wrk.format(method, target, headers, body ~= "" and body or nil)
    end
end

function request()
    next_one = next_one % #ready + 1
    return ready[next_one]
end

function done(summary, latency)
    local errors = summary.errors
    print(string.format("requests=%d", summary.requests))
    print(string.format("seconds=%.6f", summary.duration / 1e6))
    print(string.format("failed=%d", errors.connect + errors.read + errors.write + errors.status +
                                     errors.timeout))
    for _, percent in ipairs({50, 90, 99}) do
        print(string.format("p%d=%.6f", percent, latency:percentile(percent) / 1e3))
    end
end

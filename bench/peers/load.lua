-- What wrk asks, and what it found: `wrk -s load.lua URL -- FILE`. FILE is a Lua table that load.py writes: `order`, the
-- places of the requests in the order in which they are sent, round and round; `accepted`, the statuses that will do; and
-- `requests`. In a path or a body {unique} becomes another word each time, {each} the next of the request's own values.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  threads[#threads + 1] = thread
end

function init(args)
  plan = dofile(args[1])
  turn, unexpected = 0, 0
  for _, one in ipairs(plan.requests) do
    one.used = 0
    local whole = one.path .. (one.body or "")
    if not whole:find("{unique}", 1, true) and not whole:find("{each}", 1, true) then
      one.ready = wrk.format(one.method, one.path, one.headers, one.body)
    end
  end
  if not plan.check then response = nil end
end

local function filled(text, one)
  local words = { unique = plan.run .. "-" .. number .. "-" .. turn, each = one.each and one.each[one.used % #one.each + 1] }
  return (text:gsub("{(%a+)}", words))
end

function request()
  local one = plan.requests[plan.order[turn % #plan.order + 1]]
  turn = turn + 1
  if one.ready then return one.ready end
  local path, body = filled(one.path, one), one.body and filled(one.body, one)
  one.used = one.used + 1
  return wrk.format(one.method, path, one.headers, body)
end

function response(status)
  if not plan.accepted[status] then unexpected = unexpected + 1 end
end

function done(summary, latency, requests)
  local wrong = 0
  for _, thread in ipairs(threads) do wrong = wrong + (thread:get("unexpected") or 0) end
  local e = summary.errors
  io.write(string.format(
    'FIGURES {"seconds": %f, "requests": %d, "bytes": %d, "p50": %f, "p99": %f, "errors": %d}\n',
    summary.duration / 1e6, summary.requests, summary.bytes, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.connect + e.read + e.write + e.timeout + math.max(e.status, wrong)))
end

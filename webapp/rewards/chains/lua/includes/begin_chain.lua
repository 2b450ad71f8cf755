-- Begin a chain in the script that makes its first change. That script emits `chain_begun` too.

local EVENT_MS = 5000 -- how long its event may take before the job drives it

-- `values`: strings by name, which all steps get, with `begun`: unix ms.
local function begin_chain(chains, due, id, values)
  values.begun = id_text(now_ms())
  redis.call('HSET', chains, id, cjson.encode(values))
  redis.call('ZADD', due, id_text(now_ms() + EVENT_MS), id)
end

-- Emit events: append them to the partition's outbox in the script that makes them true. The loader
-- includes this file, and names the locals that it uses, where a header says EMITS.

local function is_behind() return redis.call('XLEN', outbox) >= tonumber(outbox_max) end

-- Refuse if too many events wait already. Call it before the first write.
local function refuse_when_behind()
  if is_behind() then refuse('OVERLOADED', 'too many events wait') end
end

-- Append names and values to the field list of an event.
local function add(event, ...)
  for _, part in ipairs({...}) do event[#event + 1] = part end
end

-- Append an event with fields given as names and values, and wake the partition's worker.
local function emit(type, ...)
  redis.call('XADD', outbox, '*', 'type', type, 'rid', request_id, ...)
  redis.call('PUBLISH', 'wake', partition)
end

-- Emit events: append them to the partition's outbox in the script that makes them true. The loader
-- includes this file, and names the locals that it uses, where a header says EMITS.

-- Return an error if too many events wait already. Call it before the first write.
local function behind()
  if redis.call('XLEN', outbox) >= tonumber(outbox_max) then
    return redis.error_reply('OVERLOADED too many events wait')
  end
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

-- Emit an event: append it to the partition's outbox in the script that makes it true.

-- Return an error if too many events wait already. Call it before the first write.
local function behind(outbox, max)
  if redis.call('XLEN', outbox) >= tonumber(max) then
    return redis.error_reply('OVERLOADED too many events wait')
  end
end

-- Append names and values to the field list of an event.
local function add(event, ...)
  for _, part in ipairs({...}) do event[#event + 1] = part end
end

-- Append an event, given as names and values, to `outbox` and wake the partition's worker.
local function emit(outbox, partition, ...)
  redis.call('XADD', outbox, '*', ...)
  redis.call('PUBLISH', 'wake', partition)
end

-- Purpose: append an event to the partition's outbox in the script that makes it true, and wake the partition's worker.
-- behind() comes before the first write: it gives the refusal to return when too many events wait already.
local function behind(outbox, max)
  if redis.call('XLEN', outbox) >= tonumber(max) then return redis.error_reply('OVERLOADED too many events wait') end
end
local function add(event, ...)
  for _, part in ipairs({...}) do event[#event + 1] = part end
end
local function emit(outbox, partition, ...)
  redis.call('XADD', outbox, '*', ...)
  redis.call('PUBLISH', 'wake', partition)
end

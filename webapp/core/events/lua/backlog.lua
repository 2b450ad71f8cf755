-- Count the events of a partition that a group has not read, and those that it has not applied.
-- It counts entries of the stream. XINFO's `lag` and `pending` may count others: `lag` is wrong
-- after a failover, and both count entries that were deleted.
--
-- KEYS     outbox   core.events.outbox(partition)
-- ARGV     group
-- RETURNS  number of unread events, number of events that were read but not acknowledged
-- WRITES   nothing

local PAGE = 1000 -- entries read in one go

if redis.call('EXISTS', outbox) == 0 then return { 0, 0 } end

local function count_after(id)
  local count, entries = 0, nil
  repeat
    entries = redis.call('XRANGE', outbox, '(' .. id, '+', 'COUNT', PAGE)
    count = count + #entries
    if #entries > 0 then id = entries[#entries][1] end
  until #entries < PAGE
  return count
end

local function count_pending()
  local count, start, pending = 0, '-', nil
  repeat
    pending = redis.call('XPENDING', outbox, group, start, '+', PAGE)
    for _, entry in ipairs(pending) do
      count = count + #redis.call('XRANGE', outbox, entry[1], entry[1])
      start = '(' .. entry[1]
    end
  until #pending < PAGE
  return count
end

for _, fields in ipairs(redis.call('XINFO', 'GROUPS', outbox)) do
  local info = {}
  for index = 1, #fields, 2 do info[fields[index]] = fields[index + 1] end
  if info['name'] == group then
    return { count_after(info['last-delivered-id']), count_pending() }
  end
end
return { redis.call('XLEN', outbox), 0 } -- the group reads them all when a worker creates it

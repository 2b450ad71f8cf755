-- Drop the events that both groups have applied.
-- (XADD must not trim: it would drop events that are not applied yet.)
--
-- KEYS     outbox   stream: the partition's events
-- RETURNS  number of events dropped
-- WRITES   outbox

local function parse(id)
  local ms, sequence = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(sequence)
end

local function is_earlier(id, other)
  local ms, sequence = parse(id)
  local other_ms, other_sequence = parse(other)
  return ms < other_ms or ms == other_ms and sequence < other_sequence
end

-- Return the id of the first event that a group has not applied.
local function first_unapplied(group)
  local pending = redis.call('XPENDING', outbox, group['name'])
  local count, oldest = pending[1], pending[2]
  if count > 0 then return oldest end
  local ms, sequence = string.match(group['last-delivered-id'], '^(%d+)-(%d+)$')
  return ms .. '-' .. string.format('%.0f', tonumber(sequence) + 1)
end

local groups = redis.call('XINFO', 'GROUPS', outbox)
if #groups < 2 then return 0 end
local oldest
for _, fields in ipairs(groups) do
  local group = {}
  for index = 1, #fields, 2 do group[fields[index]] = fields[index + 1] end
  local id = first_unapplied(group)
  if not oldest or is_earlier(id, oldest) then oldest = id end
end
return redis.call('XTRIM', outbox, 'MINID', oldest)

-- Drop the events that all groups of the outbox have applied. Hand those with bulk work over to
-- `bulk`.
-- (XADD must not trim: it would drop events that are not applied yet.)
--
-- KEYS     outbox   core.events.outbox(partition)
--          bulk     core.events.bulk_events(partition)
-- ARGV     bulk_max      most events of `bulk`; later ones stay in the outbox
--          group_count   how many groups read the outbox
--          types...      types of events with bulk work
-- RETURNS  number of events dropped or handed over

local PAGE = 500 -- most events that one call drops

local is_bulk = {}
for _, name in ipairs(types) do is_bulk[name] = true end

local function has_bulk_work(fields)
  -- The type comes first, except of events that were parked. Most are of no bulk type.
  if fields[1] == 'type' and not is_bulk[fields[2]] then return false end
  local event = by_name(fields)
  return is_bulk[event['type']] and (not event['only'] or event['only'] == 'bulk')
end

-- Hand bulk events over. Return the id of the first event that stays in the outbox.
local function hand_over(oldest)
  local room, handed = bulk_max - redis.call('XLEN', bulk), 0
  local entries = redis.call('XRANGE', outbox, '-', '(' .. oldest, 'COUNT', PAGE)
  if #entries == PAGE then oldest = next_after(entries[PAGE][1]) end
  for _, entry in ipairs(entries) do
    if has_bulk_work(entry[2]) then
      if handed >= room then
        oldest = entry[1]
        break
      end
      redis.call('XADD', bulk, '*', unpack(entry[2]))
      handed = handed + 1
    end
  end
  if handed > 0 then redis.call('PUBLISH', 'wake_bulk', partition) end
  return oldest
end

local groups = redis.call('XINFO', 'GROUPS', outbox)
if #groups < tonumber(group_count) then return 0 end -- one that does not exist has applied nothing
local oldest
for _, fields in ipairs(groups) do
  local id = first_unapplied(by_name(fields))
  if not oldest or is_earlier(id, oldest) then oldest = id end
end
return redis.call('XTRIM', outbox, 'MINID', hand_over(oldest))

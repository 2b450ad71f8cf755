-- Say whether some groups have yet to apply events of a partition, up to one of them.
--
-- KEYS     outbox   core.events.outbox(partition)
-- ARGV     newest      id of the last event that counts, or '' for the newest one
--          groups...   those that read the outbox and are waited for
-- RETURNS  id of the last event that counts, or '' if they have applied it
-- WRITES   nothing

if newest == '' then
  local entries = redis.call('XREVRANGE', outbox, '+', '-', 'COUNT', 1)
  if #entries == 0 then return '' end
  newest = entries[1][1]
end
local is_awaited = {}
for _, name in ipairs(groups) do is_awaited[name] = true end
for _, fields in ipairs(redis.call('XINFO', 'GROUPS', outbox)) do
  local group = by_name(fields)
  if is_awaited[group['name']] and not is_earlier(newest, first_unapplied(group)) then
    return newest
  end
end
return ''

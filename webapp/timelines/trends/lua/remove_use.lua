-- Take a post or a boost out of an item's counts: the hours and days that it counted in are counted
-- again. Doing it again changes nothing.
--
-- KEYS     uses          timelines.trends.trend_uses(item)
--          hour_prefix   timelines.trends.trend_hour(item, '')
--          day_prefix    timelines.trends.trend_day(item, '')
-- ARGV     status   id of the status
--          uid      who shares it no longer, or '' for all who did
--          limit    most uses of one item; at the limit, hours before the oldest are left
-- RETURNS  the number of uses removed
-- FENCED

local entries = redis.call('ZRANGE', uses, 0, -1, 'WITHSCORES')
local is_cut = #entries >= 2 * tonumber(limit)
local members, changed, removed = {}, {}, 0
for index = 1, #entries, 2 do
  local of, by = string.match(entries[index], '^(%d+):(%d+):')
  local at = created_ms(entries[index + 1])
  local gone = of == status and (uid == '' or by == uid)
  if gone then removed = removed + redis.call('ZREM', uses, entries[index]) end
  for prefix, ms in pairs({[hour_prefix] = 3600000, [day_prefix] = 86400000}) do
    local key = prefix .. math.floor(at / ms)
    members[key] = members[key] or {}
    if not gone then table.insert(members[key], by) end
    -- Uses may be missing that came before the oldest.
    if gone and not (is_cut and at - at % ms < created_ms(entries[2])) then changed[key] = true end
  end
end
for key in pairs(changed) do
  local left_ms = redis.call('PTTL', key)
  redis.call('DEL', key)
  if left_ms > 0 and #members[key] > 0 then
    redis.call('PFADD', key, unpack(members[key]))
    redis.call('PEXPIRE', key, left_ms)
  end
end
return removed

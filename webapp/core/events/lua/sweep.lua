-- Purpose: drop the events that both groups have applied. (XADD must not trim: it would drop events not applied yet.)
-- KEYS[1] = keys.outbox   Returns: how many were dropped   Writes: KEYS[1]
local outbox = KEYS[1]
local groups = redis.call('XINFO', 'GROUPS', outbox)
if #groups < 2 then return 0 end
local function earlier(one, other)
  local ms, seq = string.match(one, '^(%d+)-(%d+)$')
  local ms2, seq2 = string.match(other, '^(%d+)-(%d+)$')
  return tonumber(ms) < tonumber(ms2) or ms == ms2 and tonumber(seq) < tonumber(seq2)
end
local keep
for _, fields in ipairs(groups) do
  local info = {}
  for index = 1, #fields, 2 do info[fields[index]] = fields[index + 1] end
  local ms, seq = string.match(info['last-delivered-id'], '^(%d+)-(%d+)$')
  local oldest = ms .. '-' .. string.format('%.0f', tonumber(seq) + 1) -- the first that was not delivered
  local pending = redis.call('XPENDING', outbox, info['name'])
  if pending[1] > 0 then oldest = pending[2] end
  if not keep or earlier(oldest, keep) then keep = oldest end
end
return redis.call('XTRIM', outbox, 'MINID', keep)

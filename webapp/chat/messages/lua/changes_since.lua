-- Purpose: what came to a chat, or changed in it, after a position; and who of some members belongs to it.
-- KEYS: 1 to 12 = store.names   ARGV: 1 = last id known  2 = last rev known  3 = how many at most; then uids
-- Returns: {fields, members, reload: 1 when it cannot be told, {{id, message, reactions}…}, {those answered to}, {first visible
--          or 0 for each uid}}; {} when there is no such chat   Errors: none   Writes: nothing
-- include chat/lua/includes/chat_context.lua
local known, rev, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not field('kind') then return {} end
local last, first = number('last'), math.max(number('first'), 1)
local ids = {}
for _, id in ipairs(redis.call('ZRANGE', changes, '(' .. rev, '+inf', 'BYSCORE', 'LIMIT', 0, most + 1)) do
  if tonumber(id) <= known then ids[#ids + 1] = id end
end
-- A position ahead of ours is of a store that was since brought back to what it had been.
local ahead = known > last or rev > number('rev')
local lost = ahead or #ids > most or last - known > most or rev < number('told')
table.sort(ids, function(one, other) return tonumber(one) < tonumber(other) end)
local found, parents, visible, wanted = {}, {}, {}, {}
if not lost then
  for id = math.max(first, known + 1), last do ids[#ids + 1] = id_text(id) end
  found = read(ids)
  for _, entry in ipairs(found) do wanted[#wanted + 1] = string.match(entry[2], '"reply":(%d+)') end
  parents = read(wanted)
end
for index = 4, #ARGV do visible[index - 3] = belongs(ARGV[index]) and first_of(ARGV[index]) or 0 end
return {redis.call('HGETALL', chat), redis.call('ZCARD', members), lost and 1 or 0, found, parents, visible}

-- Hide the places of all that a member has written, and emit `locations_removed`.
-- Readers of a status leave out a hidden place. The worker erases it.
--
-- KEYS     user        hash: the member
--          last_id     newest status id of the partition
--          posts       zset: the member's own statuses
--          replies     zset: the member's replies to others
--          outbox      stream
-- ARGV     uid
--          partition
--          outbox_max  events
--          request_id
-- RETURNS  1, or 0 if there is no such member
-- ERRORS   OVERLOADED
-- WRITES   user, outbox
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua

local refusal = behind(outbox, outbox_max)
if refusal then return refusal end
if redis.call('HEXISTS', user, 'login') == 0 then return 0 end

-- Streams are told the newest id that everybody may know.
local newest = 0
for _, list in ipairs({posts, replies}) do
  local id = string.match(redis.call('ZRANGE', list, -1, -1)[1] or '0', '^%d+')
  newest = math.max(newest, tonumber(id))
end
redis.call('HSET', user, 'places_hidden_up_to', redis.call('GET', last_id) or '0')
emit(outbox, partition, 'type', 'locations_removed', 'rid', request_id, 'uid', uid,
  'up_to', id_text(newest))
return 1

-- Hide the places of all that a member has written, and emit `locations_removed`.
-- Readers of a status leave out a hidden place. The worker erases it.
--
-- KEYS     user       accounts.user(uid)
--          last_id    statuses.last_status_id(uid)
--          lists...   zsets of all that the member wrote; restricted statuses in the last
-- RETURNS  1, or 0 if there is no such member
-- WRITES   user
-- EMITS    locations_removed

refuse_when_behind()
if redis.call('HEXISTS', user, 'login') == 0 then return 0 end

-- The next post is later than `last_id`, but one that a wrong clock has dated may be later still.
local up_to, newest = tonumber(redis.call('GET', last_id) or 0), 0
for index, list in ipairs(lists) do
  local id = tonumber(string.match(redis.call('ZRANGE', list, -1, -1)[1] or '0', '^%d+'))
  up_to = math.max(up_to, id)
  if index < #lists then newest = math.max(newest, id) end
end
redis.call('HSET', user, 'places_hidden_up_to', id_text(up_to))
-- Streams get the newest id that everybody may know.
emit('locations_removed', 'uid', uid, 'up_to', id_text(newest))
return 1

-- Recount the replies to a member's statuses after the member became protected, or public again.
--
-- KEYS     fences   hash
--          user     hash: the member
--          keys...  status, and zset of replies to it, of each status
-- ARGV     source   of the fence
--          token    of the fence
-- RETURNS  1
-- ERRORS   LEASELOST
-- WRITES   fences, and the statuses that exist
-- include core/events/lua/includes/fence.lua
-- include statuses/threads/lua/includes/reply_count.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
for index = 1, #keys, 2 do
  local status, replies = keys[index], keys[index + 1]
  if redis.call('HEXISTS', status, 'author') == 1 then
    update_reply_count(status, replies, user, '', '', '')
  end
end
return 1

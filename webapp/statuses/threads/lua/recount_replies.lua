-- Purpose: bring the numbers of replies to a member's statuses up to whether the member is protected.
-- KEYS: 1 = keys.fences  2 = keys.user  3… = keys.status, keys.replies of each
-- ARGV: 1 = source  2 = token
-- Returns: 1   Errors: LEASELOST   Writes: KEYS 1, and the statuses that are there
-- include core/events/lua/includes/fence.lua
-- include statuses/threads/lua/includes/reply_count.lua
local fences, user = unpack(KEYS, 1, 2)
local refusal = stale(fences, unpack(ARGV))
if refusal then return refusal end
for at = 3, #KEYS, 2 do
  local status, replies = KEYS[at], KEYS[at + 1]
  if redis.call('HEXISTS', status, 'author') == 1 then count_replies(status, replies, user) end
end
return 1

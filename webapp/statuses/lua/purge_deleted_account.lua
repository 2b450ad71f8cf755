-- Purpose: erase the oldest statuses of a deleted account, with their likes, versions and what is known of their replies and
--   quotes.
-- KEYS: 1 = keys.fences  2 = keys.user  3 = one of keys.written  4 = keys.status_prefix  5 = keys.likes_prefix
--       6 = keys.replies_prefix  7 = keys.thread_prefix  8 = keys.versions_prefix  9 = keys.pinned  10 = keys.limited_prefix
--       11 = keys.votes_prefix  12 = keys.quotes_prefix  13 = keys.detached_prefix  14 = keys.ending
-- ARGV: 1 = source  2 = token  3 = how many at most  4 = uid
-- Returns: how many there were   Errors: LEASELOST   Writes: KEYS 1, 3, 9, 14 and what is below KEYS 4 to 8 and 10 to 13
-- include core/events/lua/includes/fence.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua
local fences, user, listed, statuses = unpack(KEYS, 1, 4)
local pinned, limited, votes, quotes, detached, ending = unpack(KEYS, 9)
local refusal = stale(fences, ARGV[1], ARGV[2])
if refusal then return refusal end
if redis.call('HEXISTS', user, 'login') == 1 then return 0 end -- an account that exists loses nothing
local entries = redis.call('ZRANGE', listed, 0, ARGV[3] - 1)
for _, entry in ipairs(entries) do
  local id = string.match(entry, '^%d+')
  local to, vis, who = unpack(redis.call('HMGET', statuses .. id, 'to', 'vis', 'who'))
  if is_limited(vis) then file_limited('ZREM', limited, ARGV[4], id, to, vis, who) end
  redis.call('UNLINK', statuses .. id, votes .. id, quotes .. id, detached .. id)
  for prefix = 5, 8 do redis.call('UNLINK', KEYS[prefix] .. id) end
  redis.call('ZREM', ending, id)
  redis.call('ZREM', listed, entry)
  redis.call('ZREM', pinned, id)
end
return #entries

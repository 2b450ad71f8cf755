-- Erase the oldest statuses of a deleted account, with their likes, versions, replies and quotes.
--
-- KEYS     fences             hash
--          user               hash: the account
--          list               zset: one of the account's lists of statuses
--          pinned             zset
--          poll_deadlines     zset
--          restricted_prefix  prefix of the account's restricted lists
--          status_prefix
--          likers_prefix
--          replies_prefix
--          thread_prefix
--          versions_prefix
--          votes_prefix
--          quotes_prefix
--          detached_prefix
--          views_prefix
-- ARGV     source             of the fence
--          token              of the fence
--          uid
--          limit              statuses
-- RETURNS  how many statuses were erased
-- ERRORS   LEASELOST
-- WRITES   all but user, and the keys of the statuses
-- include core/events/lua/includes/fence.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
if redis.call('HEXISTS', user, 'login') == 1 then return 0 end -- an account that exists

local prefixes = {
  status_prefix, likers_prefix, replies_prefix, thread_prefix, versions_prefix, votes_prefix,
  quotes_prefix, detached_prefix, views_prefix,
}
local entries = redis.call('ZRANGE', list, 0, limit - 1)
for _, entry in ipairs(entries) do
  local id = string.match(entry, '^%d+')
  local reply_to, visibility, mentioned =
    unpack(redis.call('HMGET', status_prefix .. id, 'reply_to_uid', 'visibility', 'mentioned'))
  if is_restricted(visibility) then
    remove_from_restricted_lists(restricted_prefix, uid, id, reply_to, visibility, mentioned)
  end
  for _, prefix in ipairs(prefixes) do redis.call('UNLINK', prefix .. id) end
  redis.call('ZREM', poll_deadlines, id)
  redis.call('ZREM', list, entry)
  redis.call('ZREM', pinned, id)
end
return #entries

-- Block a member, and end the blocker's own follow of them and request to follow them. The worker
-- ends theirs. Doing it again changes nothing.
--
-- KEYS     blocks      zset: uid -> unix ms, unique in the list
--          following   zset: uid -> unix us
--          home        zset
--          outbox      stream
--          active      zset: uid -> unix seconds
--          member      hash
--          requested   zset: uid -> unix ms
-- ARGV     uid
--          target      whom to block
--          limit       most blocks of one member
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if nothing changes
-- ERRORS   NOMEMBER, SUSPENDED, BLOCKSFULL, OVERLOADED
-- WRITES   blocks, following, home, outbox, active, requested
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include accounts/lua/includes/require_active.lua
-- include following/lua/includes/purge_author_from_home.lua
-- include following/lua/includes/end_follow.lua
-- include following/lua/includes/request_follow.lua

local refusal = require_active(member, uid)
if refusal then return refusal end
if redis.call('ZSCORE', blocks, target) then return 0 end
if redis.call('ZCARD', blocks) >= tonumber(limit) then
  return redis.error_reply('BLOCKSFULL ' .. limit)
end
refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZADD', blocks, next_score(blocks, now_ms()), target)
end_follow(following, home, outbox, active, uid, target, partition, request_id)
end_request(requested, outbox, uid, target, partition, request_id)
emit(outbox, partition, 'type', 'blocked', 'rid', request_id, 'uid', uid, 'target', target)
return 1

-- Read what the place of a status among hot ones depends on. Likes and boosts of its author and
-- of suspended members do not count. From here on no former owner of the outbox places it.
--
-- KEYS     fences        hash: the newest token of each source
--          status        hash
--          likers        zset: uids
--          boosters      zset: uids
--          suspended     set: suspended members
--          user_prefix   prefix of the members of the partition
--          index_prefix  prefix of their hashtag indexes
-- ARGV     source
--          token
--          id
--          author        uid, '' if not known: needed if the status is gone
-- RETURNS  {author or '', kind, likes, boosts, language or '', entities, `id:name` of its tags}
--          Kind: 0 not public, 1 public, 2 public and answers another member
-- ERRORS   LEASELOST
-- WRITES   fences
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local stored, visibility, reply_to, language, entities =
  unpack(redis.call('HMGET', status, 'author', 'visibility', 'reply_to_uid', 'lang', 'entities'))
local owner = stored or author
if owner == '' then return {'', 0, 0, 0, '', '[]', {}} end

local login, is_suspended, protected =
  unpack(redis.call('HMGET', user_prefix .. owner, 'login', 'suspended', 'protected'))
local indexed = redis.call('ZRANGE', index_prefix .. owner, id, id, 'BYSCORE')
if not stored or visibility or not login or is_suspended or protected then
  return {owner, 0, 0, 0, '', '[]', indexed}
end

local function count_others(members)
  local count = redis.call('ZCARD', members)
  if count == 0 then return 0 end
  local own = redis.call('ZSCORE', members, owner) and 1 or 0
  return count - own - redis.call('ZINTERCARD', 2, members, suspended)
end

local kind = reply_to and reply_to ~= owner and 2 or 1
local likes, boosts = count_others(likers), count_others(boosters)
return {owner, kind, likes, boosts, language or '', entities, indexed}

-- Read the text entities of a status and the hashtags it is indexed under. From here on no former
-- owner of the outbox indexes it.
--
-- KEYS     fences   hash: the newest token of each source
--          status   hash
--          author   hash
--          index    zset: `id:name` -> id, of the author
-- ARGV     source
--          token
--          id
-- RETURNS  {entities, JSON, '[]' if the status or its author is not public; `id:name` of each tag}
-- ERRORS   LEASELOST
-- WRITES   fences
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local login, suspended, protected =
  unpack(redis.call('HMGET', author, 'login', 'suspended', 'protected'))
local is_public = login and not suspended and not protected
  and redis.call('HEXISTS', status, 'visibility') == 0
local entities = is_public and redis.call('HGET', status, 'entities') or '[]'
return {entities, redis.call('ZRANGE', index, id, id, 'BYSCORE')}

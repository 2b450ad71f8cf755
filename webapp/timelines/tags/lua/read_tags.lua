-- Read the text entities of a status and the hashtags it is indexed under. From here on no former
-- owner of the outbox indexes it.
--
-- KEYS     status   statuses.status(id)
--          author   accounts.user(author)
--          index    timelines.tag_index(author)
-- RETURNS  {entities, JSON, '[]' if the status or its author is not public; `id:name` of each tag}
-- WRITES   nothing
-- FENCED

local login, suspended, protected, limited =
  unpack(redis.call('HMGET', author, 'login', 'suspended', 'protected', 'limited'))
local is_public = login and not (suspended or protected or limited)
  and redis.call('HEXISTS', status, 'visibility') == 0
local entities = is_public and redis.call('HGET', status, 'entities') or '[]'
return {entities, redis.call('ZRANGE', index, id, id, 'BYSCORE')}

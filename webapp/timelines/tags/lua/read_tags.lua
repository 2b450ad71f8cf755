-- Purpose: tell what a status says by now and under which hashtags it is filed. From here on no former owner files it.
-- KEYS: 1 = keys.fences  2 = keys.status  3 = keys.user  4 = keys.filed   (all of the author's partition)
-- ARGV: 1 = source  2 = token  3 = id
-- Returns: {its entities, JSON, none where it is not public or its author is not shown; `id:name` each}   Errors: LEASELOST   Writes: KEYS[1]
-- include core/events/lua/includes/fence.lua
local fences, status, user, filed = unpack(KEYS)
local source, token, id = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
local member = redis.call('HMGET', user, 'login', 'suspended', 'protected')
local shown = member[1] and not member[2] and not member[3] and redis.call('HEXISTS', status, 'vis') == 0
local entities = shown and redis.call('HGET', status, 'entities') or '[]'
return {entities, redis.call('ZRANGE', filed, id, id, 'BYSCORE')}

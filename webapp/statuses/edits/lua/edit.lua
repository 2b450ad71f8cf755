-- Purpose: change the words of one's own status, keep what it said, and tell the worker.
-- KEYS: 1 = keys.status  2 = keys.versions  3 = keys.user  4 = keys.outbox  5 = keys.limited_prefix   (of who edits)
-- ARGV: 1 = uid  2 = id  3 = which version the edit was written on: its time of edit, unix ms, '' for the first  4 = text
--       5 = entities, JSON  6 = lang, or ''  7 = cw, or ''  8 = how long it may be edited, ms  9 = EDITS_MAX  10 = partition
--       11 = OUTBOX_MAX  12 = rid  13 = whom it names or answers, as in `who`, where not everybody may see it
-- Returns: 1, or 0 when it says so already
-- Errors: NOSTATUS, NOTYOURS, NOMEMBER, SUSPENDED, EDITEDMEANWHILE, EDITLATE, EDITSFULL, OVERLOADED   Writes: KEYS 1, 2, 4, lists below KEYS[5]
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include statuses/lua/includes/event_mentions.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua
local status, versions, user, outbox, limited = unpack(KEYS)
local uid, id, base, text, entities, lang, cw, window, most, partition, max, rid, who = unpack(ARGV)
local was = redis.call('HMGET', status, 'author', 'text', 'entities', 'lang', 'cw', 'edited', 'to', 'vis', 'who', 'quoted')
local vis = was[8]
if unknown(was[1], uid, vis, user) then return redis.error_reply('NOSTATUS ' .. id) end
if was[1] ~= uid then return redis.error_reply('NOTYOURS ' .. id) end
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
local edited = was[6] or ''
if was[2] == text and (was[5] or '') == cw then return 0 end
if edited ~= base then return redis.error_reply('EDITEDMEANWHILE ' .. id) end
local now = now_ms()
if now - created_ms(id) > tonumber(window) then return redis.error_reply('EDITLATE ' .. id) end
if redis.call('LLEN', versions) >= tonumber(most) then return redis.error_reply('EDITSFULL ' .. most) end
local refusal = behind(outbox, max)
if refusal then return refusal end
local kept = {text = was[2], entities = was[3], lang = was[4] or '', cw = was[5] or '', at = edited}
redis.call('RPUSH', versions, cjson.encode(kept))
local at = id_text(math.max(now, tonumber(edited ~= '' and edited or 0) + 1))
redis.call('HDEL', status, 'lang', 'cw')
redis.call('HSET', status, 'text', text, 'entities', entities, 'edited', at)
if lang ~= '' then redis.call('HSET', status, 'lang', lang) end
if cw ~= '' then redis.call('HSET', status, 'cw', cw) end
if is_limited(vis) then -- whom it named before and names no more is shown it no more
  file_limited('ZREM', limited, uid, id, was[7], vis, was[9])
  file_limited('ZADD', limited, uid, id, was[7], vis, who)
  redis.call('HSET', status, 'who', who)
end
local event = {'type', 'revised', 'rid', rid, 'id', id, 'author', uid, 'to', was[7] or ''}
if vis then event[#event + 1], event[#event + 2] = 'vis', vis end
if was[10] then event[#event + 1], event[#event + 2] = 'quoted', was[10] end
emit(outbox, partition, unpack(naming(event, entities)))
return 1

-- Edit the text of a member's own status, keep the old version, and emit `edited`.
--
-- KEYS     status
--          versions           list: old versions, JSON
--          user               hash: the member
--          restricted_prefix  prefix of the member's restricted lists
--          outbox             stream
-- ARGV     uid
--          id
--          base_version       the version that was edited: unix ms of its edit, '' for the first
--          text
--          entities           JSON
--          lang               or ''
--          cw                 or ''
--          mentioned          uids it mentions or answers, as in `mentioned`, if it is restricted
--          window_ms          how long a status may be edited
--          limit              most versions of one status
--          partition
--          outbox_max         events
--          request_id
-- RETURNS  1, or 0 if it says so already
-- ERRORS   NOSTATUS, NOTYOURS, NOMEMBER, SUSPENDED, EDITEDMEANWHILE, EDITLATE, EDITSFULL,
--          OVERLOADED
-- WRITES   all but user, and restricted lists
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include accounts/lua/includes/require_active.lua
-- include statuses/lua/includes/event_mentions.lua
-- include statuses/edits/lua/includes/versions.lua
-- include statuses/visibility/lua/includes/require_own.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua

local stored = read_version(status)
local visibility = stored.visibility
local refusal = require_own(uid, id, stored.author, visibility, user) or require_active(user, uid)
if refusal then return refusal end
if stored.text == text and (stored.cw or '') == cw then return 0 end
local edited, now = stored.edited or '', now_ms()
if edited ~= base_version then return redis.error_reply('EDITEDMEANWHILE ' .. id) end
if now - created_ms(id) > tonumber(window_ms) then return redis.error_reply('EDITLATE ' .. id) end
if redis.call('LLEN', versions) >= tonumber(limit) then
  return redis.error_reply('EDITSFULL ' .. limit)
end
refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('RPUSH', versions, pack_version(stored))
local version = id_text(math.max(now, tonumber(edited ~= '' and edited or 0) + 1))
redis.call('HDEL', status, 'lang', 'cw')
redis.call('HSET', status, 'text', text, 'entities', entities, 'edited', version)
if lang ~= '' then redis.call('HSET', status, 'lang', lang) end
if cw ~= '' then redis.call('HSET', status, 'cw', cw) end
if is_restricted(visibility) then -- members who are no longer mentioned do not see it any longer
  local prefix, reply_to = restricted_prefix, stored.reply_to_uid
  remove_from_restricted_lists(prefix, uid, id, reply_to, visibility, stored.mentioned)
  add_to_restricted_lists(prefix, uid, id, reply_to, visibility, mentioned)
  redis.call('HSET', status, 'mentioned', mentioned)
end

local event = {'type', 'edited', 'rid', request_id, 'id', id, 'author', uid}
add(event, 'reply_to_uid', stored.reply_to_uid or '')
if visibility then add(event, 'visibility', visibility) end
if stored.quoted_uid then add(event, 'quoted_uid', stored.quoted_uid) end
add_mentions(event, entities)
emit(outbox, partition, unpack(event))
return 1

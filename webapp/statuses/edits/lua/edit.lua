-- Edit a member's own status, and emit `edited`. A new text or warning keeps the old version.
-- Descriptions of its pictures may be changed, and its place removed, at any time.
--
-- KEYS     status              statuses.status(id)
--          versions            statuses.edits.status_versions(id)
--          restricted_prefix   statuses.restricted_statuses(uid, '')
-- ARGV     base_version       the version that was edited: unix ms of its edit, '' for the first
--          base_described     how often its pictures had been described then
--          text
--          entities           JSON
--          lang               or ''
--          cw                 or ''
--          sensitive          1 to cover its pictures, 0 to show them, '' to leave them as they are
--          media              its pictures, described, JSON, or '' to leave them as they are
--          remove_place       1 to remove its place, or ''
--          mentioned          uids it mentions or answers, as in `mentioned`, if it is restricted
--          flagged            a word in it that moderators want to see, or ''
--          window_ms          how long a status may be edited
--          limit              config.edits_max   most versions of one status
-- RETURNS  1, or 0 if it says so already
-- ERRORS   NOSTATUS, NOTYOURS, NOMEMBER, SUSPENDED, EDITEDMEANWHILE, EDITLATE, EDITSFULL
-- EMITS    edited

local stored = read_version(status)
local visibility = stored.visibility
require_own(uid, id, stored.author, visibility, member)
require_active()
local is_rewritten = stored.text ~= text or (stored.cw or '') ~= cw
local is_described = media ~= '' and media ~= stored.media
local loses_place = remove_place ~= '' and (stored.place or stored.lat)
local is_marked = sensitive ~= '' and (sensitive == '1') ~= (stored.sensitive ~= nil)
if not (is_rewritten or is_described or loses_place or is_marked) then return 0 end
if is_rewritten and (stored.edited or '') ~= base_version
  or is_described and (stored.described or '0') ~= base_described then
  refuse('EDITEDMEANWHILE', id)
end
if is_rewritten then require_editable(id, versions, window_ms, limit) end
refuse_when_behind()

if is_described then
  redis.call('HSET', status, 'media', media)
  redis.call('HINCRBY', status, 'described', 1)
end
if loses_place then redis.call('HDEL', status, 'lat', 'long', 'place') end
if is_marked and sensitive == '1' then redis.call('HSET', status, 'sensitive', 1) end
if is_marked and sensitive == '0' then uncover(status, stored.sensitive) end
if is_rewritten then
  add_version(status, versions, stored, {text = text, entities = entities, lang = lang, cw = cw})
end
if is_rewritten and is_restricted(visibility) then -- members no longer mentioned lose it
  local prefix, reply_to = restricted_prefix, stored.reply_to_uid
  remove_from_restricted_lists(prefix, uid, id, reply_to, visibility, stored.mentioned)
  add_to_restricted_lists(prefix, uid, id, reply_to, visibility, mentioned)
  redis.call('HSET', status, 'mentioned', mentioned)
end

local event = {'id', id, 'author', uid, 'reply_to_uid', stored.reply_to_uid or ''}
if visibility then add(event, 'visibility', visibility) end
if loses_place and stored.lat then add(event, 'located', 1) end
local quoted_uid = stored.quoted_uid
if quoted_uid then add(event, 'quoted_id', stored.quoted_id, 'quoted_uid', quoted_uid) end
add_mentions(event, entities, stored.entities)
if flagged ~= '' then add(event, 'flagged', flagged) end
emit('edited', unpack(event))
return 1

-- Return the new and changed messages of a chat after a position, and which of some members belong
-- to it.
--
-- KEYS     reactions      chat.chat_reactions(cid)
--          changes        chat.chat_changes(cid)
-- ARGV     last_id    newest message of the position
--          revision   revision of the position
--          limit      most messages
--          uids...    the members
-- RETURNS  {fields, how many members, 1 if pages must reload, {id, message, reactions}…,
--          the same of the messages they reply to, first visible id or 0 for each uid};
--          {} if there is no such chat
-- WRITES   nothing
-- include chat/lua/includes/reader.lua

if redis.call('HEXISTS', chat, 'kind') == 0 then return {} end
last_id, revision, limit = tonumber(last_id), tonumber(revision), tonumber(limit)
local newest = chat_number(chat, 'last')

local since = '(' .. id_text(revision)
local changed = redis.call('ZRANGE', changes, since, '+inf', 'BYSCORE', 'LIMIT', 0, limit + 1)
local ids = {}
for _, id in ipairs(changed) do
  if tonumber(id) <= last_id then ids[#ids + 1] = id end
end
table.sort(ids, function(left, right) return tonumber(left) < tonumber(right) end)

-- A position ahead of the chat's own comes from before the store was restored from a backup.
local is_ahead = last_id > newest or revision > chat_number(chat, 'rev')
local is_trimmed = revision < chat_number(chat, 'trimmed_rev')
local is_behind = #ids > limit or newest - last_id > limit or is_trimmed
local must_reload = is_ahead or is_behind
local rows, parents = {}, {}
if not must_reload then
  local first = math.max(chat_number(chat, 'first'), 1)
  for id = math.max(first, last_id + 1), newest do ids[#ids + 1] = id_text(id) end
  rows = read_messages(messages, reactions, ids)
  parents = read_messages(messages, reactions, parent_ids(rows, 0))
end

local first_ids = {}
for index, uid in ipairs(uids) do
  first_ids[index] = is_member(members, uid) and first_visible_id(visible_from, uid) or 0
end
local count = redis.call('ZCARD', members)
return {redis.call('HGETALL', chat), count, must_reload and 1 or 0, rows, parents, first_ids}

-- Note deleted messages on members' lists, which then do not count them as unread.
--
-- KEYS     fences        core.events.fences(tag)
--          prefixes...   for each partition, the prefix of the key `chat_state`
-- ARGV     cid       the chat's id
--          deleted   `id:author` of each deleted message, spaced
--          uids...   for each partition, the uids of members, spaced
-- RETURNS  how many lists were changed
-- WRITES   prefixes
-- FENCED

-- A member's own messages are never unread.
local function ids_of_others(uid)
  local ids = {}
  for id, author in string.gmatch(deleted, '(%d+):(%d+)') do
    if author ~= uid then ids[#ids + 1] = tonumber(id) end
  end
  return ids
end

local changed = {}
for index, spaced in ipairs(uids) do
  for uid in string.gmatch(spaced, '%d+') do
    if note_deleted(prefixes[index] .. uid, cid, ids_of_others(uid)) then
      changed[#changed + 1] = uid
    end
  end
end
if changed[1] then redis.call('PUBLISH', 'chat', 'b ' .. table.concat(changed, ' ')) end
return #changed

-- Note which messages of others were deleted before a member had read them.

local DELETED_MAX = 200 -- ids in a field `deleted:<cid>`

-- Return those ids of a field `deleted:<cid>` that are greater than `first` and at most `last`.
local function deleted_between(field, first, last)
  local ids = {}
  for id in string.gmatch(field or '', '%d+') do
    if tonumber(id) > first and tonumber(id) <= last then ids[#ids + 1] = tonumber(id) end
  end
  return ids
end

-- Note deleted messages of others, and forget those that count as read. Return true if one is new.
-- Of more than DELETED_MAX the oldest are forgotten: they count as unread again.
local function note_deleted(chat_state, cid, ids)
  local fields = redis.call('HMGET', chat_state, 'deleted:' .. cid, 'read:' .. cid)
  local noted = deleted_between(fields[1], tonumber(fields[2] or 0), math.huge)
  local is_noted = {}
  for _, id in ipairs(noted) do is_noted[id] = true end
  local has_new = false
  for _, id in ipairs(ids) do
    if not is_noted[id] and id > tonumber(fields[2] or 0) then
      noted[#noted + 1], has_new = id, true
    end
  end
  table.sort(noted)
  local remaining = table.concat(noted, ' ', math.max(1, #noted - DELETED_MAX + 1))
  store_field(chat_state, 'deleted:' .. cid, remaining)
  return has_new
end

-- Return true if another list of a member has this name already, so that a form that is sent twice
-- makes one list. `except`: the number of a list that may have it, or nil.
local function name_taken(uid, lists, list_prefix, name, except)
  for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1)) do
    local key = list_prefix .. uid .. ':' .. number
    if number ~= except and redis.call('HGET', key, 'name') == name then return true end
  end
  return false
end

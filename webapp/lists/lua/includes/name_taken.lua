-- Purpose: tell whether another list of a member has a name already, so that a form sent twice makes one list.
local function named(uid, lists, list_of, name, but)
  for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1)) do
    if number ~= but and redis.call('HGET', list_of .. uid .. ':' .. number, 'name') == name then return true end
  end
end

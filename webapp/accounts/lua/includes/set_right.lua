-- Grant a right to a member, or withdraw it. Return true if that changes something.
local function set_right(member, right, granted)
  local stored = redis.call('HGET', member, 'rights') or ''
  local rights = granted and {right} or {}
  for other_right in string.gmatch(stored, '%S+') do
    if other_right ~= right then table.insert(rights, other_right) end
  end
  table.sort(rights)
  redis.call('HSET', member, 'rights', table.concat(rights, ' '))
  return table.concat(rights, ' ') ~= stored
end

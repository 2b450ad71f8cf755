-- Return the id of the first post of the conversation of a status that exists. `status`: its key.
local function conversation_of(status)
  local root, path = unpack(redis.call('HMGET', status, 'root', 'ancestors'))
  return root or string.match(path or '', '^0*(%d+)') or string.match(status, '%d+$')
end

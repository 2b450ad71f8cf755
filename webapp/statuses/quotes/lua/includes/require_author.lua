-- Return an error unless the hash `status`, whose id is `id`, is a status of the member `uid`.
local function require_author(status, uid, id)
  local author = redis.call('HGET', status, 'author')
  if not author then return redis.error_reply('NOSTATUS ' .. id) end
  if author ~= uid then return redis.error_reply('NOTYOURS ' .. id) end
end

-- Refuse unless the hash `status`, whose id is `id`, is a status of the member `uid`.
local function require_author(status, uid, id)
  local author = redis.call('HGET', status, 'author')
  if not author then refuse('NOSTATUS', id) end
  if author ~= uid then refuse('NOTYOURS', id) end
end

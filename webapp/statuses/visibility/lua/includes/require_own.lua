-- Refuse to change a status of somebody else.

-- Refuse unless the status `id` is the member's own. A restricted status of another member
-- is reported as gone. `author` and `visibility` are the status's fields. `user` is the member's
-- hash; the author's lies in the same partition.
local function require_own(uid, id, author, visibility, user)
  if author == uid then return nil end
  if not author then refuse('NOSTATUS', id) end
  local author_hash = string.gsub(user, '%d+$', author)
  local is_protected = redis.call('HEXISTS', author_hash, 'protected') == 1
  if is_restricted(effective_visibility(visibility, is_protected)) then refuse('NOSTATUS', id) end
  refuse('NOTYOURS', id)
end

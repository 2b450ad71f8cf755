-- Say whether an action still holds, and note the notified member: if the actor's account is
-- deleted, its notifications are found by these notes.
--
-- KEYS     user         accounts.user(actor)
--          notified     notifications.notified_members(actor)
--          source_key   the actor's list, or status, that shows whether it holds
--          followers    following.followers(actor)
-- ARGV     recipient       uid of who is notified
--          source_member   the entry that must be on it, '' if the key is a status that must exist
--          in_group        1 if the recipient is in the closed group that the status is for, or ''
-- RETURNS  1, or the id of the first post of the status's conversation; 0 if it no longer holds, or
--          the recipient may not see the status
-- WRITES   notified
-- FENCED

local login, protected = unpack(redis.call('HMGET', user, 'login', 'protected'))
if not login then return 0 end
-- Return true if the recipient may see the status.
local function is_visible()
  local author, visibility, mentioned =
    unpack(redis.call('HMGET', source_key, 'author', 'visibility', 'mentioned'))
  if not author then return false end
  if visibility == 'g' then return in_group ~= '' end
  visibility = effective_visibility(visibility, protected)
  local follows = redis.call('ZSCORE', followers, recipient)
  return may_see(recipient, author, visibility, mentioned, follows)
end

local holds
if source_member ~= '' then
  holds = redis.call('ZSCORE', source_key, source_member) and 1
else
  holds = is_visible() and conversation_of(source_key)
end
if not holds then return 0 end
redis.call('SADD', notified, recipient)
return holds

-- Read the invitations of a chat.

-- Return how often an invitation may still be used, when it expires (unix ms) and who made it.
local function parse_invite(invite)
  local uses_left, expires, creator = string.match(invite or '', '^(%d+) (%d+) (%d+)$')
  return tonumber(uses_left), tonumber(expires), creator
end

-- Return the chat's invitations as {sha, invitation} pairs.
local function list_invites(invites)
  local flat, pairs_ = redis.call('HGETALL', invites), {}
  for index = 1, #flat, 2 do pairs_[#pairs_ + 1] = {flat[index], flat[index + 1]} end
  return pairs_
end

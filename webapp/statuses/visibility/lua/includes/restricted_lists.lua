-- The lists in which an author's profile looks for statuses: two of public ones, and one for each
-- audience of restricted ones.
-- include statuses/visibility/lua/includes/policy.lua

-- Return the audiences of a restricted status: its author, its followers if it is for them, and
-- the uids it mentions or answers. No profile shows posts of a closed group to others.
local function audiences_of(author, visibility, mentioned)
  local audiences = {author}
  if visibility == 'g' then return audiences end
  if visibility == 'f' then audiences[2] = 'followers' end
  for uid in string.gmatch(mentioned or '', '%d+') do audiences[#audiences + 1] = uid end
  return audiences
end

-- Add a restricted status to the list of each audience. `prefix` begins the keys of the author's
-- lists; `reply_to` is the uid it answers, or false.
local function add_to_restricted_lists(prefix, author, id, reply_to, visibility, mentioned)
  local entry = reply_to and reply_to ~= author and id .. ':' .. reply_to or id
  for _, audience in ipairs(audiences_of(author, visibility, mentioned)) do
    redis.call('ZADD', prefix .. audience, id, entry)
  end
end

-- Remove a status from the list of each audience.
local function remove_from_restricted_lists(prefix, author, id, reply_to, visibility, mentioned)
  local entry = reply_to and reply_to ~= author and id .. ':' .. reply_to or id
  for _, audience in ipairs(audiences_of(author, visibility, mentioned)) do
    redis.call('ZREM', prefix .. audience, entry)
  end
end

-- Lists of an author's statuses.
-- include statuses/visibility/lua/includes/restricted_lists.lua

-- Add a new status, with these fields, to the lists in which its author's profile looks for it.
local function add_to_profile(posts, replies, restricted_prefix, id, field)
  local author, reply_to = field.author, field.to
  if is_restricted(field.vis) then
    add_to_restricted_lists(restricted_prefix, author, id, reply_to, field.vis, field.who)
  elseif reply_to and reply_to ~= author then
    redis.call('ZADD', replies, id, id .. ':' .. reply_to)
  else
    redis.call('ZADD', posts, id, id)
  end
end

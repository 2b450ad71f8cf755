-- Lists of an author's statuses.

-- Add a new status, with these fields, to the lists in which its author's profile looks for it.
local function add_to_profile(posts, replies, media, restricted_prefix, id, field)
  local author, reply_to, visibility = field.author, field.reply_to_uid, field.visibility
  if field.media and visibility ~= 'g' then redis.call('ZADD', media, id, id) end
  if is_restricted(visibility) then
    add_to_restricted_lists(restricted_prefix, author, id, reply_to, visibility, field.mentioned)
  elseif reply_to and reply_to ~= author then
    redis.call('ZADD', replies, id, id .. ':' .. reply_to)
  else
    redis.call('ZADD', posts, id, id)
  end
end

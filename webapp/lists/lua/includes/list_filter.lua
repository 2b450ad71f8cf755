-- Return a function that tells whether an entry by `author`, an answer to `reply_to` ('' for none),
-- belongs on the list of `owner` with these members. A reply belongs there if the member it answers
-- is on the list too, or owns it.
local function list_filter(owner, members)
  local is_member = {}
  local function has(uid)
    if is_member[uid] == nil then
      is_member[uid] = redis.call('ZSCORE', members, uid) and true or false
    end
    return is_member[uid]
  end
  return function(author, reply_to)
    return has(author) and (reply_to == '' or reply_to == owner or has(reply_to))
  end
end

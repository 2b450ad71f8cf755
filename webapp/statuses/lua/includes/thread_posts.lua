-- The posts of a thread that are posted together.
-- include statuses/threads/lua/includes/answer_own.lua

-- Return the fields of each post. `fields`: names and values of the first. `more`: the fields of
-- the further ones, JSON, or ''.
local function thread_posts(fields, more)
  local first = {}
  for index = 1, #fields, 2 do first[fields[index]] = fields[index + 1] end
  local posts = {first}
  if more ~= '' then
    for _, field in ipairs(cjson.decode(more)) do posts[#posts + 1] = field end
  end
  return posts
end

-- Return fields as a list of names and values.
local function names_and_values(field)
  local list = {}
  for name, value in pairs(field) do
    list[#list + 1] = name
    list[#list + 1] = value
  end
  return list
end

-- Return the fields of an author that `posted_event` needs, and whether they are suspended.
-- `user`: the author's hash.
local function read_author(user)
  local names = {'login', 'protected', 'hidden_from_search', 'limited', 'suspended'}
  local values = redis.call('HMGET', user, unpack(names))
  return {
    login = values[1], is_protected = values[2], is_hidden = values[3] or values[4],
    suspended = values[5],
  }
end

-- Return the event that tells of the post `id`, as names and values. `flagged`: a word in it that
-- moderators want to see, or ''.
local function posted_event(id, field, author, network, flagged)
  local event = {'id', id, 'author', field.author}
  add(event, 'login', author.login)
  if is_searchable(field.visibility, author.is_protected, author.is_hidden) then
    add(event, 'searchable', 1)
  end
  add_fields(event, field, network)
  if (flagged or '') ~= '' then add(event, 'flagged', flagged) end
  return event
end

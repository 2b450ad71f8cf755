-- The posts of a thread that are posted together.
-- include statuses/lua/includes/event_fields.lua

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

-- Make `field` a reply to its author's status `id`, which has the fields `parent`. `login`: the
-- author's. The path above it keeps its last `path_max` steps.
local function answer_own(field, parent, id, login, path_max)
  local path = string.format('%016.0f.%s', tonumber(id), parent.author)
  if parent.ancestors then path = parent.ancestors .. '/' .. path end
  local _, steps = string.gsub(path, '%.', '')
  if steps > tonumber(path_max) then path = string.match(path, '/(.*)') end
  field.reply_to_id, field.reply_to_uid, field.reply_to_login = id, parent.author, login
  field.ancestors = path
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

-- Return the event that tells of the post `id` at key `status`, as names and values.
local function posted_event(request_id, status, id, field, network)
  local event = {'type', 'posted', 'rid', request_id, 'id', id, 'author', field.author}
  add_status_fields(event, status, field.entities, network)
  return event
end

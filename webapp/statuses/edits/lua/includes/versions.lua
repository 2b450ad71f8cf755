-- Versions of statuses.

-- Return what an edit needs of the hash `status`, by field. Absent fields are nil.
local function read_version(status)
  local names = {
    'author', 'text', 'entities', 'lang', 'cw', 'edited', 'reply_to_uid',
    'visibility', 'mentioned', 'quoted_uid',
  }
  local stored = {}
  for index, value in ipairs(redis.call('HMGET', status, unpack(names))) do
    if value then stored[names[index]] = value end
  end
  return stored
end

-- Return a version, as `read_version` gives it, as stored in the list of versions.
local function pack_version(stored)
  return cjson.encode({
    text = stored.text,
    entities = stored.entities,
    lang = stored.lang or '',
    cw = stored.cw or '',
    at = stored.edited or '',
  })
end

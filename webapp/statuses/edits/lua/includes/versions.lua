-- Versions of statuses.

-- Return the fields of the hash `status` that an edit needs. Absent fields are nil.
local function read_version(status)
  local names = {
    'author', 'text', 'entities', 'lang', 'cw', 'edited', 'reply_to_uid',
    'visibility', 'mentioned', 'quoted_id', 'quoted_uid', 'media', 'described', 'place', 'lat',
    'sensitive',
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
    sensitive = stored.sensitive or '',
    at = stored.edited or '',
    described = stored.described or '0',
    placed = (stored.place or stored.lat) and '1' or '',
  })
end

-- Refuse if it is too late for another version, or there are `limit`.
local function require_editable(id, versions, window_ms, limit)
  if now_ms() - created_ms(id) > tonumber(window_ms) then refuse('EDITLATE', id) end
  if redis.call('LLEN', versions) >= tonumber(limit) then refuse('EDITSFULL', limit) end
end

-- Give the hash `status` a new text and warning, and keep those of `stored` as a version.
local function add_version(status, versions, stored, new)
  redis.call('RPUSH', versions, pack_version(stored))
  local edited = id_text(math.max(now_ms(), tonumber(stored.edited or 0) + 1))
  redis.call('HDEL', status, 'lang', 'cw')
  redis.call('HSET', status, 'text', new.text, 'entities', new.entities, 'edited', edited)
  if new.lang ~= '' then redis.call('HSET', status, 'lang', new.lang) end
  if new.cw ~= '' then redis.call('HSET', status, 'cw', new.cw) end
end

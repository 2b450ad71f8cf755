-- Fields of statuses in events.

local FACTS = {
  'reply_to_uid', 'ancestors', 'visibility', 'mentioned', 'group', 'more_groups', 'quoted_id',
  'quoted_uid',
}

-- Add to an event what projections need of a status: it may be gone when they run. That is FACTS,
-- whether it has coordinates, and the logins it mentions. With a `network`, which may be '', also
-- the facts for trends. `field`: the status's fields.
local function add_fields(event, field, network)
  if field.lat then add(event, 'located', 1) end
  for _, name in ipairs(FACTS) do
    if field[name] then add(event, name, field[name]) end
  end
  add_mentions(event, field.entities)
  local has_items = string.find(field.entities, '["hashtag"', 1, true)
    or string.find(field.entities, '["url"', 1, true)
  if network and has_items then add(event, 'has_items', 1, 'network', network) end
end

-- The same of the stored status at key `status`.
local function add_status_fields(event, status, entities, network)
  local values = redis.call('HMGET', status, 'lat', unpack(FACTS))
  local field = {lat = values[1], entities = entities}
  for index, name in ipairs(FACTS) do field[name] = values[index + 1] end
  add_fields(event, field, network)
end

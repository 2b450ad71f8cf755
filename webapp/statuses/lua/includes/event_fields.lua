-- Fields of statuses in events.
-- include statuses/lua/includes/event_mentions.lua

-- Add to an event the facts that projections need of a status, which may be gone when they run: the
-- member it answers, the path above it, its audience, its groups, its quoted status, whether it has
-- coordinates, and the logins it mentions. With a `network`, which may be '', also the facts for
-- trends.
local function add_status_fields(event, status, entities, network)
  local names = {
    'reply_to_uid', 'ancestors', 'visibility', 'mentioned', 'group', 'more_groups', 'quoted_id',
    'quoted_uid',
  }
  local values = redis.call('HMGET', status, 'lat', unpack(names))
  if values[1] then add(event, 'located', 1) end
  for index, name in ipairs(names) do
    if values[index + 1] then add(event, name, values[index + 1]) end
  end
  add_mentions(event, entities)
  local has_items = string.find(entities, '["hashtag"', 1, true)
    or string.find(entities, '["url"', 1, true)
  if network and has_items then add(event, 'has_items', 1, 'network', network) end
end

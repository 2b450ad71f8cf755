-- Purpose: add to a status's event what it says itself and others must know: whom it answers, who may see it, what it
-- quotes, whom it mentions. Gives the event. Before the status goes; include it after core/events/lua/includes/emit.lua and mentions.lua.
local function telling(event, status, entities)
  local names = {'to', 'above', 'vis', 'who', 'quote', 'quoted'}
  for at, value in ipairs(redis.call('HMGET', status, unpack(names))) do
    if value then add(event, names[at], value) end
  end
  return naming(event, entities)
end

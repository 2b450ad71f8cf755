-- Mentions in events.

-- Add to an event the logins that a status mentions, in lower case, each once: `mentions`.
-- `entities` is the status's field of that name, JSON.
local function add_mentions(event, entities)
  if not string.find(entities, '"mention"', 1, true) then return end
  local logins, is_listed = {}, {}
  for _, entity in ipairs(cjson.decode(entities)) do
    local login = entity[1] == 'mention' and string.match(entity[2], '[%w_]+$')
    login = login and string.lower(login)
    if login and not is_listed[login] then
      is_listed[login] = true
      logins[#logins + 1] = login
    end
  end
  add(event, 'mentions', table.concat(logins, ' '))
end

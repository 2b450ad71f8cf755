-- Purpose: add to a status's event whom it mentions, if anybody: `mentions`, logins in lower case, each once. Gives the event.
local function naming(event, entities)
  if not string.find(entities, '"mention"', 1, true) then return event end
  local found, seen = {}, {}
  for _, entity in ipairs(cjson.decode(entities)) do
    local login = entity[1] == 'mention' and string.lower(string.match(entity[2], '[%w_]+$') or '')
    if login and login ~= '' and not seen[login] then
      seen[login] = true
      found[#found + 1] = login
    end
  end
  add(event, 'mentions', table.concat(found, ' '))
  return event
end

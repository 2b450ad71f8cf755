-- Purpose: whom a status mentions, as a field of its event and its value: logins in lower case, each once. Nothing for nobody.
local function mentioned(entities)
  if not string.find(entities, '"mention"', 1, true) then return end
  local found, seen = {}, {}
  for _, entity in ipairs(cjson.decode(entities)) do
    local login = entity[1] == 'mention' and string.lower(string.match(entity[2], '[%w_]+$') or '')
    if login and login ~= '' and not seen[login] then
      seen[login] = true
      found[#found + 1] = login
    end
  end
  return 'mentions', table.concat(found, ' ')
end

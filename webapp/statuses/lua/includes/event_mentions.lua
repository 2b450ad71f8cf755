-- Mentions in events.

-- Return the logins that `entities` mention, in lower case, each once, a blank between them.
-- `entities` is the field of a status, JSON.
local function mentioned_logins(entities)
  if not string.find(entities, '"mention"', 1, true) then return '' end
  local logins, is_listed = {}, {}
  for _, entity in ipairs(cjson.decode(entities)) do
    local login = entity[1] == 'mention' and string.match(entity[2], '[%w_]+$')
    login = login and string.lower(login)
    if login and not is_listed[login] then
      is_listed[login] = true
      logins[#logins + 1] = login
    end
  end
  return table.concat(logins, ' ')
end

-- Add to an event the logins that a status mentions, as `mentions`, and those that it mentioned
-- before an edit, as `mentioned_before`.
local function add_mentions(event, entities, entities_before)
  local mentions, before = mentioned_logins(entities), mentioned_logins(entities_before or '')
  if mentions ~= '' then add(event, 'mentions', mentions) end
  if before ~= '' then add(event, 'mentioned_before', before) end
end

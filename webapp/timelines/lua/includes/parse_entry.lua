-- Return the parts of a home's entry: its id, its author or booster, the uid that a reply answers
-- ('' for none), and of a boost the author and the id of the status. Nothing for the member `more`.
local function parse_entry(entry)
  -- Negated classes match fastest.
  local id, author, reply_to = string.match(entry, '^([^:]+):([^:]+):?([^:=]*)$')
  if id then return id, author, reply_to end
  local booster, boosted_author, status_id
  id, booster, boosted_author, status_id = string.match(entry, '^(%d+):(%d+):(%d+)=(%d+)$')
  return id, booster, '', boosted_author, status_id
end

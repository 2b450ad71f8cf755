-- Purpose: take an entry of a home apart: its id; the author, or who boosts; whom a reply answers, '' for nobody; of a boost
-- the author of what it shows and that status. Nothing for the mark `more`.
local function parse(entry)
  local id, author, to = string.match(entry, '^([^:]+):([^:]+):?([^:=]*)$') -- what a class excludes is found fastest
  if id then return id, author, to end
  local boosted, status
  id, author, boosted, status = string.match(entry, '^(%d+):(%d+):(%d+)=(%d+)$')
  return id, author, '', boosted, status
end

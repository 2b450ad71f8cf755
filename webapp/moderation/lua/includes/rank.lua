-- The ranks of moderators.

-- Return the rank of a member with these rights, as `rank_of` in acts.py does.
local function rank_in(rights)
  if string.find(rights or '', 'admin', 1, true) then return 2 end
  return string.find(rights or '', 'moderator', 1, true) and 1 or 0
end

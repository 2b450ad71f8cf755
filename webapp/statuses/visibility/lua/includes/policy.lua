-- Whom a status is meant for. statuses/visibility/policy.py has the same rules, and one table of
-- cases tests both.

-- Return true if not everybody may see a status of this stored visibility (false: public).
local function is_restricted(visibility)
  return visibility == 'f' or visibility == 'm' or visibility == 'g'
end

-- Return the visibility at this moment: protected members narrow all to their followers.
local function effective_visibility(visibility, is_protected)
  if is_protected and not is_restricted(visibility) then return 'f' end
  return visibility or ''
end

-- Return true if others may find a status of this stored visibility by search. `is_hidden`: its
-- author, who is not suspended, is hidden from search.
local function is_searchable(visibility, is_protected, is_hidden)
  return effective_visibility(visibility, is_protected) == '' and not is_hidden
end

-- Return true if a status of this effective visibility is meant for `viewer` ('0': a visitor).
-- `mentioned`: uids with a space around each. `follows`: true if the viewer follows the author.
-- Members of a closed group are known to the group's partition alone, so this opens none.
local function may_see(viewer, author, visibility, mentioned, follows)
  if not is_restricted(visibility) or viewer == author then return true end
  if visibility == 'g' then return false end
  if string.find(mentioned or '', ' ' .. viewer .. ' ', 1, true) then return true end
  return visibility == 'f' and follows
end

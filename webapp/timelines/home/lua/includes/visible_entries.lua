-- Return a function that tells whether a home shows an entry: of an author, or of an author who
-- boosts another. `is_visible`: from visible_authors. Boosts by those in `hidden_boosts` are left
-- out. Return nil if all entries show, as for most members.
local function visible_entries(is_visible, hidden_boosts)
  local any_hidden = redis.call('EXISTS', hidden_boosts) == 1
  if not is_visible and not any_hidden then return nil end
  return function(author, boosted_author)
    if is_visible and not is_visible(author) then return false end
    if not boosted_author then return true end
    if is_visible and not is_visible(boosted_author) then return false end
    return not (any_hidden and redis.call('ZSCORE', hidden_boosts, author))
  end
end

-- Return a function that says whether a home shows an entry: a post of an author, which may answer
-- the member `reply_to`, or a boost by an author. `is_visible`: from visible_authors.
-- `hides`: the kinds of entries that the member `uid` hides. Their own boosts, and boosts by those
-- in `hidden_boosts`, are left out.
local function visible_entries(uid, is_visible, hidden_boosts, hides)
  local any_hidden = redis.call('EXISTS', hidden_boosts) == 1
  local hides_replies, hides_boosts = hides:find('replies'), hides:find('boosts')
  return function(author, boosted_author, reply_to)
    if is_visible and not is_visible(author) then return false end
    if not boosted_author then
      return not hides_replies or not reply_to or reply_to == uid or author == uid
    end
    if hides_boosts or author == uid then return false end
    if is_visible and not is_visible(boosted_author) then return false end
    return not (any_hidden and redis.call('ZSCORE', hidden_boosts, author))
  end
end

-- Purpose: look through a home from a bound downward for as many entries as are wanted, of those that its reader is shown.
-- Who is not followed any more leaves it. `followed`: asks of several members at once, and gives a table of all that were
-- asked so far (a question each takes twice as long). `shown`: a function of an author, none where nobody is hidden. A boost
-- is left out where one of the `window` entries below it, of those that are shown, shows the same status: what stands in the
-- home alone decides it, and nothing further down is read for homes without boosts. Include it after timelines/lua/includes/parse_entry.lua.
-- Gives the entries and a state: more (as many as wanted), end, or bottom (the mark that older ones were left out).
local function look(home, bound, want, followed, shown, window)
  local visible, statuses, boosts, count, state = {}, {}, {}, 0, nil
  local function take(entry, id, author, to, boosted, status, known)
    if not (known[author] and (to == '' or known[to])) then
      redis.call('ZREM', home, entry)
    elseif not shown or (shown(author) and not (boosted and not shown(boosted))) then
      count = count + 1
      visible[count], statuses[count], boosts[count] = entry, status or id, status
    end
  end
  local function fill(upto)
    while not state and count < upto do
      local chunk = redis.call('ZRANGE', home, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, want)
      if #chunk < want then state = 'end' end
      local ids, authors, tos, boosted, shows, people, size = {}, {}, {}, {}, {}, {}, 0
      for at, entry in ipairs(chunk) do
        ids[at], authors[at], tos[at], boosted[at], shows[at] = parse(entry)
        if not ids[at] then state = 'bottom' break end
        people[authors[at]], people[tos[at]], size = true, true, at
      end
      local known = followed(people)
      for at = 1, size do take(chunk[at], ids[at], authors[at], tos[at], boosted[at], shows[at], known) end
      if size > 0 then bound = '(' .. ids[size] end
    end
  end
  local function again(at)
    fill(at + window)
    for below = at + 1, math.min(at + window, count) do
      if statuses[below] == boosts[at] then return true end
    end
  end
  local entries, taken, at = {}, 0, 0
  while taken < want do
    at = at + 1
    if count < at then fill(at) end
    if not visible[at] then return entries, state end
    if not (boosts[at] and again(at)) then taken, entries[taken + 1] = taken + 1, visible[at] end
  end
  return entries, 'more'
end

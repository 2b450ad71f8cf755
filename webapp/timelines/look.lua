-- Purpose: look through a home from a bound downward for as many entries as are wanted, of those that its reader is shown.
-- Who is not followed any more leaves it. `followed`: asks of several members at once, and gives a table of all that were
-- asked so far (a question each takes twice as long). `shown`: a function of an author, none where nobody is hidden. A boost
-- is left out where one of the `window` entries below it, of those that are shown, shows the same status: what stands in the
-- home alone decides it, and nothing further down is read for homes without boosts. Include it after timelines/entry.lua.
-- Gives the entries and a state: more (as many as wanted), end, or bottom (the mark that older ones were left out).
local function look(home, bound, want, followed, shown, window)
  local visible, statuses, boosts, state = {}, {}, {}, nil
  local function take(known, entry, id, author, to, boosted, status)
    bound = '(' .. id
    if not (known[author] and (to == '' or known[to])) then
      redis.call('ZREM', home, entry)
    elseif not shown or (shown(author) and not (boosted and not shown(boosted))) then
      visible[#visible + 1] = entry
      statuses[#visible], boosts[#visible] = status or id, status
    end
  end
  local function fill(count)
    while not state and #visible < count do
      local chunk = redis.call('ZRANGE', home, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, want)
      if #chunk < want then state = 'end' end
      local parts, people = {}, {}
      for at, entry in ipairs(chunk) do
        local part = {parse(entry)}
        if part[1] then parts[at], people[part[2]], people[part[3]] = part, true, true else state = 'bottom' end
      end
      local known = followed(people)
      for at, part in ipairs(parts) do take(known, chunk[at], unpack(part, 1, 5)) end
    end
  end
  local function again(at)
    fill(at + window)
    for below = at + 1, math.min(at + window, #visible) do
      if statuses[below] == boosts[at] then return true end
    end
  end
  local entries, at = {}, 0
  while #entries < want do
    at = at + 1
    fill(at)
    if not visible[at] then return entries, state end
    if not (boosts[at] and again(at)) then entries[#entries + 1] = visible[at] end
  end
  return entries, 'more'
end

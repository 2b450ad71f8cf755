-- Return the first `size` entries below `bound`, and a state: 'more' (there are as many), 'end', or
-- 'bottom' (older ones were left out of the home). `follows`: from follows_lookup; `may_show`: from
-- visible_entries. A boost is left out if one of the next `window` visible entries shows the
-- same status. The home alone decides that, and a home without boosts is not read further for it.
-- Include home_reader.lua before it.
local function scan_home(home, bound, size, follows, may_show, window)
  local read_up_to, found = home_reader(home, bound, size, follows, may_show)
  local function repeats_below(place)
    read_up_to(place + window)
    for below = place + 1, math.min(place + window, found.count) do
      if found.status_ids[below] == found.boosted[place] then return true end
    end
  end
  read_up_to(size)
  if not next(found.boosted) then
    for place = found.count, size + 1, -1 do found.entries[place] = nil end
    return found.entries, found.count < size and found.state or 'more'
  end
  local entries, place = {}, 0
  while #entries < size do
    place = place + 1
    read_up_to(place)
    if not found.entries[place] then return entries, found.state end
    if not (found.boosted[place] and repeats_below(place)) then
      entries[#entries + 1] = found.entries[place]
    end
  end
  return entries, 'more'
end

-- Return a function that reads visible entries of a home until there are `wanted`, and the table it
-- fills. By place: `entries`, `status_ids`, and `boosted` (the status id of a boost, else nil);
-- `count`; `state` once the home ends. Entries of authors, and replies to members, who are not
-- followed any more are removed from the home. Include parse_entry.lua before it.
local function home_reader(home, bound, chunk_size, follows, is_visible)
  local found = {entries = {}, status_ids = {}, boosted = {}, count = 0, state = nil}
  local function accept(entry, is_followed, id, author, reply_to, boosted_author, status_id)
    if not (is_followed[author] and (reply_to == '' or is_followed[reply_to])) then
      redis.call('ZREM', home, entry)
    elseif not is_visible
        or (is_visible(author) and not (boosted_author and not is_visible(boosted_author))) then
      local place = found.count + 1
      found.count, found.entries[place] = place, entry
      found.status_ids[place], found.boosted[place] = status_id or id, status_id
    end
  end
  local function read_chunk()
    local chunk =
      redis.call('ZRANGE', home, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, chunk_size)
    if #chunk < chunk_size then found.state = 'end' end
    local parsed, uids = {}, {}
    for i, entry in ipairs(chunk) do
      local parts = {parse_entry(entry)}
      if not parts[1] then found.state = 'bottom' break end
      parsed[i], uids[parts[2]], uids[parts[3]] = parts, true, true
    end
    if #parsed > 0 then bound = '(' .. parsed[#parsed][1] end
    local is_followed = follows(uids)
    for i, parts in ipairs(parsed) do accept(chunk[i], is_followed, unpack(parts, 1, 5)) end
  end
  return function(wanted)
    while not found.state and found.count < wanted do read_chunk() end
  end, found
end

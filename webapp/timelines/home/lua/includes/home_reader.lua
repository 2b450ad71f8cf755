-- Return a function that reads visible entries of a home until there are `wanted`, and the table
-- it fills. By place: `entries`, `status_ids`, and `boosted` (the status id of a boost, else nil);
-- `count`; `state` once the home ends. Entries of authors, and replies to members, who are
-- no longer followed are removed from the home. Include parse_entry.lua before it.
local function home_reader(home, bound, chunk_size, follows, may_show)
  local entries, status_ids, boosted, count = {}, {}, {}, 0
  local found = {entries = entries, status_ids = status_ids, boosted = boosted, count = 0}
  local function accept(entry, is_followed, id, author, reply_to, boosted_author, status_id)
    if not (is_followed[author] and (reply_to == '' or is_followed[reply_to])) then
      redis.call('ZREM', home, entry)
    elseif may_show(author, boosted_author, reply_to) then
      count = count + 1
      entries[count], status_ids[count], boosted[count] = entry, status_id or id, status_id
    end
  end
  local function read_chunk()
    local chunk =
      redis.call('ZRANGE', home, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, chunk_size)
    if #chunk < chunk_size then found.state = 'end' end
    -- Lists side by side: a table for each entry would take longer.
    local ids, authors, reply_to, boosted_authors, statuses, uids = {}, {}, {}, {}, {}, {}
    for i, entry in ipairs(chunk) do
      ids[i], authors[i], reply_to[i], boosted_authors[i], statuses[i] = parse_entry(entry)
      if not ids[i] then found.state = 'bottom' break end
      uids[authors[i]], uids[reply_to[i]] = true, true
    end
    if ids[1] then bound = '(' .. ids[#ids] end
    local is_followed = follows(uids)
    for i = 1, #ids do
      accept(
        chunk[i], is_followed, ids[i], authors[i], reply_to[i], boosted_authors[i], statuses[i]
      )
    end
    found.count = count
  end
  return function(wanted)
    while not found.state and count < wanted do read_chunk() end
  end, found
end

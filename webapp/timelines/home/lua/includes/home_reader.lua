-- Return a function that reads visible entries of a home until there are `wanted`, and the table
-- it fills. By place: `entries`, `status_ids`, and `boosted` (the status id of a boost, else nil);
-- `count`; `state` once the home ends. Entries of authors, and replies to members, who are
-- no longer followed are removed from the home. Include parse_entry.lua before it.
local function home_reader(home, bound, chunk_size, follows, may_show)
  local entries, status_ids, boosted, count = {}, {}, {}, 0
  local found = {entries = entries, status_ids = status_ids, boosted = boosted, count = 0}
  local function read_chunk()
    local chunk =
      redis.call('ZRANGE', home, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, chunk_size)
    if #chunk < chunk_size then found.state = 'end' end
    -- Lists side by side: a table for each entry would take longer. Most have two parts alone.
    local ids, authors, reply_to, boosted_authors, statuses, uids = {}, {}, {}, {}, {}, {}
    for i, entry in ipairs(chunk) do
      local id, author, reply, boosted_author, status_id = parse_entry(entry)
      if not id then found.state = 'bottom' break end
      ids[i], authors[i], uids[author] = id, author, true
      if reply ~= '' then reply_to[i], uids[reply] = reply, true end
      if status_id then boosted_authors[i], statuses[i] = boosted_author, status_id end
    end
    if ids[1] then bound = '(' .. ids[#ids] end
    local is_followed = follows(uids)
    for i = 1, #ids do
      local author, reply = authors[i], reply_to[i]
      if not (is_followed[author] and (not reply or is_followed[reply])) then
        redis.call('ZREM', home, chunk[i])
      elseif may_show(author, boosted_authors[i], reply) then
        count = count + 1
        entries[count], boosted[count] = chunk[i], statuses[i]
        status_ids[count] = statuses[i] or ids[i]
      end
    end
    found.count = count
  end
  return function(wanted)
    while not found.state and count < wanted do read_chunk() end
  end, found
end

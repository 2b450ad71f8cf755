-- Find the place of a page in a chat, and who has read how far.

-- Return the first id from `first` on whose message was sent at `since` (unix ms) or later. Times
-- only grow with ids, so a binary search finds it.
local function first_id_since(messages, first, last, since)
  local low, high = first, last + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    local body = redis.call('HGET', messages, middle) or ''
    local sent_at = tonumber(string.match(body, '"at":(%d+)') or 0)
    if sent_at < since then low = middle + 1 else high = middle end
  end
  return low
end

-- Return {uid, id read up to, …} of the members who have read furthest. Newcomers begin at the
-- newest message, which they have not read, so they are left out until they read on.
local function furthest_readers(read_receipts, visible_from, limit)
  local flat = redis.call('ZRANGE', read_receipts, '+inf', '(0', 'BYSCORE', 'REV',
    'LIMIT', 0, limit, 'WITHSCORES')
  local readers = {}
  for index = 1, #flat, 2 do
    local uid, read_up_to = flat[index], flat[index + 1]
    if tonumber(read_up_to) >= first_visible_id(visible_from, uid) then
      readers[#readers + 1] = uid
      readers[#readers + 1] = read_up_to
    end
  end
  return readers
end

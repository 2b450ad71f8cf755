-- Choose who owns a chat or a group after its last owner.

-- Return the first of some uids that is not in `suspended`, a text; the first if all are.
local function successor_of(uids, suspended)
  local passed_over = set_of(suspended)
  for _, uid in ipairs(uids) do if not passed_over[uid] then return uid end end
  return uids[1]
end

-- Return the people of a chat, those who have belonged to it longest first. A bot cannot look after
-- a chat.
local function people_of(members, visible_from)
  local people = {}
  for _, uid in ipairs(redis.call('ZRANGE', members, 0, -1)) do
    local seen = redis.call('HGET', visible_from, uid) or ''
    if string.sub(seen, -1) ~= 'b' then people[#people + 1] = uid end
  end
  return people
end

-- Choose who owns a chat or a group after its last owner.

-- Return the first of some uids that is not suspended; the first if all are. `suspended`: the key.
local function successor_of(uids, suspended)
  for _, uid in ipairs(uids) do
    if redis.call('SISMEMBER', suspended, uid) == 0 then return uid end
  end
  return uids[1]
end

-- Return true while another owner than `uid` is not suspended.
local function has_other_owner(owners, uid, suspended)
  for _, owner in ipairs(redis.call('SMEMBERS', owners)) do
    if owner ~= uid and redis.call('SISMEMBER', suspended, owner) == 0 then return true end
  end
  return false
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

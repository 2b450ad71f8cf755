-- Return a function that tells which members `uid` follows. It takes a set of uids and returns a
-- table with an answer for each. It asks for all new ones together: one question each would take
-- twice as long. Members count as followers of themselves.
local function follows_lookup(uid, following)
  local is_followed = {[uid] = true}
  return function(uids)
    local unknown = {}
    for other in pairs(uids) do
      if is_followed[other] == nil then unknown[#unknown + 1] = other end
    end
    if #unknown == 0 then return is_followed end
    local scores = redis.call('ZMSCORE', following, unpack(unknown))
    for i, other in ipairs(unknown) do is_followed[other] = scores[i] and true or false end
    return is_followed
  end
end

-- Purpose: file a status that not everybody may see under each audience, or take it out ('ZADD' or 'ZREM'). `prefix` is
-- keys.limited_prefix of its author; `vis` and `who` are the status's own; a public or unlisted one is filed nowhere here.
local function is_limited(vis) return vis == 'f' or vis == 'm' end
-- Whether a member who is not its author is told that there is no such status: of what not everybody may see, always.
-- `user` is keys.user of that member, whose partition is the author's too.
local function unknown(author, uid, vis, user)
  if not author or author == uid then return not author end
  return is_limited(vis) or redis.call('HEXISTS', string.gsub(user, '%d+$', author), 'protected') == 1
end
local function file_limited(act, prefix, author, id, to, vis, who)
  local audiences, entry = {author}, id .. (to and to ~= author and ':' .. to or '')
  if vis == 'f' then audiences[2] = 'followers' end
  for uid in string.gmatch(who or '', '%d+') do audiences[#audiences + 1] = uid end
  for _, audience in ipairs(audiences) do
    if act == 'ZADD' then redis.call('ZADD', prefix .. audience, id, entry) else redis.call('ZREM', prefix .. audience, entry) end
  end
end
-- Files a new status where its author's pages look for it. `to`: whom it answers, '' for nobody.
local function file(profile, replied, limited, author, id, to, vis, who)
  local other = to ~= '' and to ~= author
  if is_limited(vis) then return file_limited('ZADD', limited, author, id, other and to, vis, who) end
  if other then redis.call('ZADD', replied, id, id .. ':' .. to) else redis.call('ZADD', profile, id, id) end
end

-- Read the facts that decide the places of statuses among hot ones. Likes and boosts of their
-- authors and of suspended members do not count. From here on no former owner of the outbox places
-- them.
--
-- KEYS     suspended   accounts.suspended_members(partition)
--          keys...     prefixes for each status: of the statuses, of who likes and boosts them,
--                      of the members and of their hashtag indexes
-- ARGV     statuses...   id and author of each; the author is 0 if not known: needed if it is gone
-- RETURNS  for each {author or '', kind, likes, boosts, language or '', entities, `id:name` of its
--          tags}. Kind: 0 not public, 1 public, 2 public and answers another member
-- WRITES   nothing
-- FENCED

local function count_others(members, owner)
  local count = redis.call('ZCARD', members)
  if count == 0 then return 0 end
  local own = redis.call('ZSCORE', members, owner) and 1 or 0
  return count - own - redis.call('ZINTERCARD', 2, members, suspended)
end

local function standing(id, author, status_prefix, likers, boosters, user_prefix, index_prefix)
  local names = {'author', 'visibility', 'reply_to_uid', 'lang', 'entities'}
  local stored, visibility, reply_to, language, entities =
    unpack(redis.call('HMGET', status_prefix .. id, unpack(names)))
  local owner = stored or author
  if owner == '0' then return {'', 0, 0, 0, '', '[]', {}} end
  local login, is_suspended, protected, limited =
    unpack(redis.call('HMGET', user_prefix .. owner, 'login', 'suspended', 'protected', 'limited'))
  local indexed = redis.call('ZRANGE', index_prefix .. owner, id, id, 'BYSCORE')
  if not stored or visibility or not login or is_suspended or protected or limited then
    return {owner, 0, 0, 0, '', '[]', indexed}
  end
  local kind = reply_to and reply_to ~= owner and 2 or 1
  local likes, boosts = count_others(likers .. id, owner), count_others(boosters .. id, owner)
  return {owner, kind, likes, boosts, language or '', entities, indexed}
end

local found = {}
for index = 1, #statuses, 2 do
  local first = (index - 1) / 2 * 5 + 1
  found[#found + 1] = standing(statuses[index], statuses[index + 1], unpack(keys, first, first + 4))
end
return found

-- Remove a deleted account from the follows, the subscriptions, the endorsements and the homes of
-- its followers.
--
-- KEYS     fences        core.events.fences(tag)
--          prefixes...   of `following`, `subscriptions`, `endorsements`, `home`, in turn, of each
--                        partition
-- ARGV     author         uid of the deleted account
--          followers...   the uids of each partition's followers, separated by blanks
-- RETURNS  how many followed the account
-- WRITES   prefixes
-- FENCED

local count = 0
for i, uids in ipairs(followers) do
  local following, subscriptions, endorsements, home = unpack(prefixes, 4 * i - 3, 4 * i)
  for uid in string.gmatch(uids, '%d+') do
    count = count + redis.call('ZREM', following .. uid, author)
    redis.call('ZREM', subscriptions .. uid, author)
    redis.call('ZREM', endorsements .. uid, author)
    purge_author_from_home(home .. uid, author)
  end
end
return count

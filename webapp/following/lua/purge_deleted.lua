-- Remove a deleted account from the follows and the homes of its followers.
--
-- KEYS     fences        core.events.fences(tag)
--          prefixes...   of `following` and `home`, in turn, of each partition
-- ARGV     author         uid of the deleted account
--          followers...   the uids of each partition's followers, separated by blanks
-- RETURNS  how many followed the account
-- ERRORS   LEASELOST
-- WRITES   prefixes
-- FENCED
-- include following/lua/includes/purge_author_from_home.lua

local count = 0
for i, uids in ipairs(followers) do
  local following_prefix, home_prefix = prefixes[2 * i - 1], prefixes[2 * i]
  for uid in string.gmatch(uids, '%d+') do
    count = count + redis.call('ZREM', following_prefix .. uid, author)
    purge_author_from_home(home_prefix .. uid, author)
  end
end
return count

-- Recount the replies to a member's statuses after the member became protected, or public again.
--
-- KEYS     user      accounts.user(uid)
--          keys...   status, and zset of replies to it, of each status
-- WRITES   keys
-- FENCED

for index = 1, #keys, 2 do
  local status, replies = keys[index], keys[index + 1]
  if redis.call('HEXISTS', status, 'author') == 1 then
    update_reply_count(status, replies, user, '', '', '')
  end
end
return 1

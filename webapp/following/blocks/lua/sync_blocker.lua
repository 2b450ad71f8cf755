-- Bring a member's list of blockers up to date with a blocker's own list. The member's follow of
-- the blocker, and request to follow them, end with a block.
--
-- KEYS     blockers        following.blockers(uid)
--          member          accounts.user(uid)
-- ARGV     blocker
--          blocked_at   unix ms; '' if they do not block
--          uid          who is blocked
-- RETURNS  1; -1 if the blocked account is deleted
-- WRITES   all keys but member
-- EMITS    unfollowed, unsubscribed, unrequested, profile_edited
-- FENCED

if blocked_at == '' then
  redis.call('ZREM', blockers, blocker)
  return 1
end
if redis.call('HEXISTS', member, 'login') == 0 then return -1 end

redis.call('ZADD', blockers, blocked_at, blocker)
-- A full outbox does not matter here: the event that causes this could wait for itself.
end_follow(blocker)
end_request(blocker)
return 1

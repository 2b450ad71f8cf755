-- End a follow, with the subscription to the author's posts and the endorsement. Remove the
-- author's statuses from the follower's home. Emit `unfollowed`, `unsubscribed`, `profile_edited`.
-- Return 1, or 0 if there was no follow.
-- A negative score in `active` makes deliveries check the follower's own list for the next hour:
-- the author's list of followers changes later.
--
-- KEYS     following       following.following(uid)
--          subscriptions   following.subscriptions(uid)
--          endorsements    following.endorsements(uid)
--          home            accounts.home(uid)
--          active          accounts.active_members(uid)

local function end_follow(target)
  if redis.call('ZREM', following, target) == 0 then return 0 end
  redis.call('ZADD', active, 'XX', -math.floor(now_ms() / 1000), uid)
  purge_author_from_home(home, target)
  emit('unfollowed', 'uid', uid, 'target', target)
  if redis.call('ZREM', subscriptions, target) == 1 then
    emit('unsubscribed', 'uid', uid, 'id', target)
  end
  if redis.call('ZREM', endorsements, target) == 1 then emit('profile_edited', 'uid', uid) end
  return 1
end

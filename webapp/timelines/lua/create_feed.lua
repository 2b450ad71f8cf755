-- Make the key of a member's private feed. It ends the one before.
--
-- KEYS     member   accounts.user(uid)
-- ARGV     sha      of the key
--          agent?   `Device.note`
-- ERRORS   NOMEMBER, SUSPENDED

require_active()
redis.call('HSET', member, 'home_feed', sha)
note('feed', agent)
return 1

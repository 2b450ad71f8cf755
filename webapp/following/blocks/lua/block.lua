-- Block a member, and end the blocker's own follow of them and request to follow them. The worker
-- ends theirs. Doing it again changes nothing.
--
-- KEYS     blocks          following.blocks(uid)
-- ARGV     target   whom to block
--          limit    config.blocks_max   most blocks of one member
-- RETURNS  1, or 0 if nothing changes
-- ERRORS   NOMEMBER, SUSPENDED, BLOCKSFULL
-- EMITS    unfollowed, unsubscribed, unrequested, profile_edited, blocked

require_active()
if redis.call('ZSCORE', blocks, target) then return 0 end
if redis.call('ZCARD', blocks) >= tonumber(limit) then refuse('BLOCKSFULL', limit) end
refuse_when_behind()

redis.call('ZADD', blocks, next_score(blocks, now_ms()), target)
end_follow(target)
end_request(target)
emit('blocked', 'uid', uid, 'target', target)
return 1

-- Let the worker compare an entry of a member's own list with the list of the other side.
--
-- KEYS     user   accounts.user(uid)
-- ARGV     uid      whose list it is
--          type     of the event
--          fields...   of the event, and their values
-- RETURNS  1, or 0 if the account is gone
-- WRITES   nothing
-- EMITS    like_checked, boost_checked, follow_checked, block_checked

refuse_when_behind()
emit(type, 'uid', uid, unpack(fields))
return redis.call('HEXISTS', user, 'login')

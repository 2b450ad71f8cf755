-- Save a search of a member. Doing it again changes nothing.
--
-- KEYS     saved   search.saved_searches(uid)
-- ARGV     search
--          limit    most saved searches of one member
-- RETURNS  1 if it was saved, 0 if it was already
-- ERRORS   NOMEMBER, SUSPENDED, SEARCHESFULL

require_active()
if redis.call('ZSCORE', saved, search) then return 0 end
if redis.call('ZCARD', saved) >= tonumber(limit) then refuse('SEARCHESFULL', limit) end
return redis.call('ZADD', saved, next_score(saved), search)

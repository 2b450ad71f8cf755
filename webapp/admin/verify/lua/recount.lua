-- Count the likes, boosts and replies of a status again.
--
-- KEYS     status           statuses.status(id)
--          likers           statuses.interactions.likers(id)
--          boosters         statuses.interactions.boosters(id)
--          replies          statuses.threads.replies(id)
--          user             accounts.user(author)
--          changed_counts   statuses.live_counts.changed_counts(id)
-- ARGV     author   uid of its author
-- RETURNS  1, or 0 if the status is gone
-- WRITES   status

if redis.call('HEXISTS', status, 'author') == 0 then return 0 end
set_count(status, 'likes', redis.call('ZCARD', likers), changed_counts, id, '')
set_count(status, 'boosts', redis.call('ZCARD', boosters), changed_counts, id, '')
update_reply_count(status, replies, user, changed_counts, id, '')
return 1

-- Set where a bot's messages are delivered. The ones that wait go there too.
--
-- KEYS     webhook   chat.bots.webhook(uid)
--          user      accounts.user(uid)
-- ARGV     url
--          sealed_secret
-- ERRORS   NOMEMBER
-- WRITES   webhook

if redis.call('HEXISTS', user, 'bot') == 0 then refuse('NOMEMBER', uid) end
redis.call('HDEL', webhook, 'failures', 'error', 'answer_error', 'failed')
redis.call('HSET', webhook, 'url', url, 'secret', sealed_secret)
return 1

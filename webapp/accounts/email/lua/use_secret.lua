-- Use a secret that a mail told. It works once, and each wrong one counts as a try.
--
-- KEYS     email   accounts.email.email(uid)
-- ARGV     purpose   verify, login or reset
--          hmac      of what was entered
-- RETURNS  {1, the address that it verifies or ''} if it is right, else {0, ''}

local until_field, tries_field = purpose .. '_until', purpose .. '_tries'
local right, expires = unpack(redis.call('HMGET', email, purpose, until_field))
if not right then return {0, ''} end
local is_over = tonumber(expires) <= now_ms() or redis.call('HINCRBY', email, tries_field, -1) < 0
local is_right = not is_over and right == hmac
if is_over or is_right then redis.call('HDEL', email, purpose, until_field, tries_field) end
if not is_right then return {0, ''} end
return {1, redis.call('HGET', email, 'pending') or ''}

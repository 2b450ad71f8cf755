-- Set some of a member's preferences about notifications.
--
-- KEYS     user   accounts.user(uid)
-- ARGV     preferences...   fields, such as notify:like, each with its value, '' for the default
-- ERRORS   NOMEMBER

if redis.call('HEXISTS', user, 'login') == 0 then refuse('NOMEMBER', uid) end
for index = 1, #preferences, 2 do
  local field, preference = preferences[index], preferences[index + 1]
  store_field(user, field, preference)
end
return 1

-- Note who has a member among their contacts.
--
-- KEYS     member       accounts.user(contact)
--          contact_of   autocomplete.contact_of(contact)
-- ARGV     uid   who has the member among their contacts
-- RETURNS  1; 0 if the member has no account
-- ERRORS   LEASELOST
-- WRITES   contact_of
-- FENCED

if redis.call('HEXISTS', member, 'login') == 0 then return 0 end
redis.call('SADD', contact_of, uid)
return 1

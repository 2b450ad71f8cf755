-- Note who has a member among their contacts, or no longer.
--
-- KEYS     member       accounts.user(contact)
--          contact_of   autocomplete.contact_of(contact)
-- ARGV     uid       who has the member among their contacts
--          is_one    1, or '' if no longer
-- RETURNS  1; 0 if the member has no account
-- WRITES   contact_of
-- FENCED

if redis.call('HEXISTS', member, 'login') == 0 then return 0 end
redis.call(is_one == '' and 'SREM' or 'SADD', contact_of, uid)
return 1

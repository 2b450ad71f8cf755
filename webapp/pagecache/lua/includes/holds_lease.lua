-- Return true if `token` holds the lease of a variant in the hash `page`, even an expired one.
local function holds_lease(page, variant, token)
  local lease = redis.call('HGET', page, '=' .. variant)
  return lease and lease:match('^%S+') == token
end

-- Claim a login for a member id. A reserved one, which ends by itself, is nobody else's until then;
-- its member may take it back, and it ends still unless they do.
--
-- KEYS     login   string: the claim, uid:ms
-- ARGV     uid
--          old_claim   a claim to take over, as it was read; '' for none
-- RETURNS  {1, claim} if it is now this uid's, else {0, claim, 1 if old enough to take over}

local TAKEOVER_MS = 60000
local TAKEN_BACK_SECONDS = 86400 -- that a reserved one lasts at least, until it is kept
local now = now_ms()
local claim = redis.call('GET', login)
if claim then
  local owner, claimed_at = string.match(claim, '^(%d+):(%d+)$')
  local is_reserved = redis.call('TTL', login) >= 0
  local is_old = now - tonumber(claimed_at) > TAKEOVER_MS and not is_reserved
  local may_take = is_reserved and owner == uid or is_old and claim == old_claim
  if not may_take then return {0, claim, is_old and 1 or 0} end
end

local own_claim = uid .. ':' .. id_text(now)
redis.call('SET', login, own_claim, 'KEEPTTL')
redis.call('EXPIRE', login, TAKEN_BACK_SECONDS, 'GT')
return {1, own_claim}

-- Blocks between a member and an author.
--
-- KEYS     blocks     following.blocks(uid)
--          blockers   following.blockers(uid)
-- WRITES   nothing

-- Refuse with `code` if the member blocks `author` or is blocked by them.
local function require_no_block(code, author)
  if redis.call('ZSCORE', blocks, author) or redis.call('ZSCORE', blockers, author) then
    refuse(code, author)
  end
end

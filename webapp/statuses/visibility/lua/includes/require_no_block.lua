-- Return the error `code` if a member blocks `author` or is blocked by them.
-- `blocks` and `blockers` are the member's lists.
local function require_no_block(code, author, blocks, blockers)
  if redis.call('ZSCORE', blocks, author) or redis.call('ZSCORE', blockers, author) then
    return redis.error_reply(code .. ' ' .. author)
  end
end
